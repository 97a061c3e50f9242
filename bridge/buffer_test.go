package bridge

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// sample returns an array whose bytes are valid values of the type: a sub-byte type has one
// byte for each element, sign-extended for the signed ones.
func sample(shape tensor.Shape) tensor.View {
	data := make([]byte, shape.NumBytes())
	for i := range data {
		switch shape.DType {
		case tensor.Pred, tensor.U2:
			data[i] = byte(i % 2)
		case tensor.S2:
			data[i] = []byte{0, 1, 0xfe, 0xff}[i%4]
		case tensor.S4:
			data[i] = []byte{0, 7, 0xf8, 0xff}[i%4]
		case tensor.U4, tensor.F4E2M1FN:
			data[i] = byte(i % 16)
		default:
			data[i] = byte(i*7 + 1)
		}
	}
	return tensor.View{Shape: shape, Data: data}
}

func allTypes() []tensor.DType {
	var types []tensor.DType
	for d := tensor.Pred; d < tensor.Token; d++ {
		types = append(types, d)
	}
	return types
}

func TestBufferRoundTrip(t *testing.T) {
	c := testClient(t)
	before := buffersAlive()
	for _, dtype := range allTypes() {
		for _, dims := range [][]int{nil, {1}, {5}, {2, 3}, {0}, {2, 0, 3}} {
			v := sample(tensor.ShapeOf(dtype, dims...))
			t.Run(v.Shape.String(), func(t *testing.T) {
				b, err := c.ArrayFromHost(t.Context(), v, 1)
				check.NoError(t, err)
				check.Diff(t, "device", 1, b.Device())
				check.Diff(t, "shape", v.Shape.String(), b.Shape().String())
				got, err := b.ToHost(t.Context())
				check.NoError(t, err)
				check.Diff(t, "data", v.Data, got.Data)
				into := tensor.View{Shape: b.Shape(), Data: make([]byte, len(v.Data))}
				check.NoError(t, b.CopyTo(t.Context(), into))
				check.Diff(t, "data of CopyTo", v.Data, into.Data)
				check.Report(t, b.Close())
			})
		}
	}
	check.Diff(t, "buffers alive", before, buffersAlive())
}

func TestCopyToRefuses(t *testing.T) {
	b, err := testClient(t).ArrayFromHost(t.Context(), view(t, []float32{1, 2, 3, 4, 5, 6}, 2, 3), 0)
	check.NoError(t, err)
	refused := func(to tensor.View, want string) {
		t.Helper()
		check.Error(t, b.CopyTo(t.Context(), to), want)
	}
	matrix := tensor.ShapeOf(tensor.F32, 2, 3)
	refused(view(t, make([]float32, 6), 3, 2), "the array is f32[2,3], the memory is for f32[3,2]")
	refused(tensor.View{Shape: matrix, Data: make([]byte, 23)}, "takes 24 bytes, but the data has 23")
	check.NoError(t, b.Close())
	refused(tensor.View{Shape: matrix, Data: make([]byte, 24)}, "Array.CopyTo: the array is closed or was donated")
}

// Callbacks get and return arrays of every element type in the host's form.
func TestCallbackOfEveryType(t *testing.T) {
	c := testClient(t)
	for _, dtype := range allTypes() {
		for _, dims := range [][]int{{5}, {}, {2, 0}} {
			v := sample(tensor.ShapeOf(dtype, dims...))
			t.Run(v.Shape.String(), func(t *testing.T) {
				typ := "tensor<"
				for _, d := range dims {
					typ += fmt.Sprint(d, "x")
				}
				typ += dtype.MLIR() + ">"
				signature := v.Shape.String() + "->" + v.Shape.String()
				var saw tensor.View
				name := register(t, signature, func(call *callbacks.Frame) error {
					saw = call.Args[0].Clone()
					return nil
				})
				e := compile(t, c, mainFunc("%x: "+typ, typ,
					"%p = "+custom("passthrough", named(name, signature), "%x", typ, typ)+"\nreturn %p : "+typ),
					engine.CompileOptions{})
				out, err := e.Run(t.Context(), v)
				check.NoError(t, err)
				check.Diff(t, "operand", v.Data, saw.Data)
				got, err := out[0].ToHost(t.Context())
				check.NoError(t, err)
				check.Diff(t, "shape", v.Shape.String(), got.Shape.String())
				check.Diff(t, "result", v.Data, got.Data)
				out[0].Close()
			})
		}
	}
}

// Each caller of Shape gets its own copy.
func TestShapesAreTheCallers(t *testing.T) {
	c := testClient(t)
	const typ = "tensor<2x3xf32>"
	e := compile(t, c, mainFunc("%x: "+typ, typ+", "+typ, "return %x, %x : "+typ+", "+typ), engine.CompileOptions{})
	in, err := c.ArrayFromHost(t.Context(), view(t, []float32{1, 2, 3, 4, 5, 6}, 2, 3), 0)
	check.NoError(t, err)
	defer in.Close()
	for range 3 {
		out, err := e.Run(t.Context(), in)
		check.NoError(t, err)
		for _, b := range append(out, in) {
			check.Diff(t, "shape", "f32[2,3]", b.Shape().String())
			b.Shape().Dims[0] = 1 << 40
			v, err := b.ToHost(t.Context())
			check.NoError(t, err)
			check.Diff(t, "on the host", "f32[2,3]", v.Shape.String())
			v.Shape.Dims[1] = -1
			w, err := b.View(t.Context())
			check.NoError(t, err)
			check.Diff(t, "view", "f32[2,3]", w.Tensor().Shape.String())
			w.Tensor().Shape.Dims[0] = 0
			check.Report(t, w.Close())
		}
		for _, b := range out {
			check.Diff(t, "values", []float32{1, 2, 3, 4, 5, 6}, host[float32](t, b))
		}
	}
}

// An array that is not row-major on the device is row-major on the host.
func TestOutputLayout(t *testing.T) {
	c := testClient(t)
	for _, test := range []struct {
		shape  tensor.Shape
		layout string
	}{
		{tensor.ShapeOf(tensor.F32, 2, 3), "{0,1}"},
		{tensor.ShapeOf(tensor.F64, 2, 3, 4), "{1,0,2}"},
		{tensor.ShapeOf(tensor.S8, 3, 1, 2), "{0,2,1}"},
		{tensor.ShapeOf(tensor.F32, 2, 0), "{0,1}"},
		{tensor.ShapeOf(tensor.F32, 2, 3), "{1,0}"},
	} {
		t.Run(test.shape.String()+test.layout, func(t *testing.T) {
			typ := "tensor<" + strings.ReplaceAll(strings.Trim(fmt.Sprint(test.shape.Dims), "[]"), " ", "x") + "x" +
				test.shape.DType.MLIR() + ">"
			e := compile(t, c, mainFunc("%x: "+typ, typ+fmt.Sprintf(" {mhlo.layout_mode = %q}", test.layout),
				"return %x : "+typ), engine.CompileOptions{})
			want := sample(test.shape)
			out, err := e.Run(t.Context(), want)
			check.NoError(t, err)
			defer out[0].Close()
			_, err = e.Run(t.Context(), out[0])
			if refused := err != nil &&
				strings.Contains(err.Error(), "not row-major on its device"); refused != (test.layout != "{1,0}") {
				t.Errorf("as an input: %v", err)
			}
			got, err := out[0].ToHost(t.Context())
			check.NoError(t, err)
			check.Diff(t, "on the host", want, got)
			v, err := out[0].View(t.Context())
			check.NoError(t, err)
			check.Diff(t, "view", want, v.Tensor())
			check.Report(t, v.Close())
			e.results = nil // then the plugin is asked for the layout
			asked, err := e.Run(t.Context(), want)
			check.NoError(t, err)
			got, err = asked[0].ToHost(t.Context())
			check.NoError(t, errors.Join(err, asked[0].Close()))
			check.Diff(t, "on the host, with the layout that the plugin says", want, got)
		})
	}
}
