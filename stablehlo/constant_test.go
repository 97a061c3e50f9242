package stablehlo

import (
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// constant makes a constant, verifies it, and returns its value as MLIR prints it.
// The printed text must parse to the same attribute, because MLIR compares attributes by
// their bytes.
func constant(t *testing.T, c *mlir.Context, v tensor.View) string {
	t.Helper()
	op, err := mlirtest.Create(c, ConstantOp{v})
	check.NoError(t, err)
	check.NoError(t, op.Verify())
	value, _ := op.Attribute("value")
	text := value.String()
	parsed, err := c.ParseAttribute(text)
	check.NoError(t, err)
	if !parsed.Equal(value) {
		t.Errorf("%s parses as another attribute", text)
	}
	shape, err := ShapeOf(op.Result(0).Type())
	check.NoError(t, err)
	if !shape.Equal(v.Shape) {
		t.Errorf("the result is %s, want %s", shape, v.Shape)
	}
	return text
}

// constants holds three elements of each element type as they are in a host array, and the
// text that MLIR prints for them. For floating-point types of a byte or less, the elements
// are the bits of 1, -2 and the largest number.
var constants = []struct {
	view    tensor.View
	printed [3]string
}{
	{tensor.Vector(false, true, true), [3]string{"false", "true", "true"}},
	{bytesOf(tensor.S2, 0x00, 0x01, 0xfe), [3]string{"0", "1", "-2"}},
	{bytesOf(tensor.S4, 0x07, 0xff, 0xf8), [3]string{"7", "-1", "-8"}},
	{tensor.Vector[int8](1, -1, -128), [3]string{"1", "-1", "-128"}},
	{tensor.Vector[int16](1, -2, 32767), [3]string{"1", "-2", "32767"}},
	{tensor.Vector[int32](1, -2, -1<<31), [3]string{"1", "-2", "-2147483648"}},
	{tensor.Vector[int64](1, -2, 1<<62), [3]string{"1", "-2", "4611686018427387904"}},
	{bytesOf(tensor.U2, 0, 1, 3), [3]string{"0", "1", "3"}},
	{bytesOf(tensor.U4, 0, 9, 15), [3]string{"0", "9", "15"}},
	{tensor.Vector[uint8](0, 9, 255), [3]string{"0", "9", "255"}},
	{tensor.Vector[uint16](0, 9, 65535), [3]string{"0", "9", "65535"}},
	{tensor.Vector[uint32](0, 9, 1<<32-1), [3]string{"0", "9", "4294967295"}},
	{tensor.Vector[uint64](0, 9, 1<<64-1), [3]string{"0", "9", "18446744073709551615"}},
	{bytesOf(tensor.F16, 0x00, 0x3c, 0x00, 0xc0, 0xff, 0x7b),
		[3]string{"1.000000e+00", "-2.000000e+00", "6.550400e+04"}},
	{bytesOf(tensor.BF16, 0x80, 0x3f, 0x00, 0xc0, 0x7f, 0x7f),
		[3]string{"1.000000e+00", "-2.000000e+00", "3.389530e+38"}},
	{tensor.Vector[float32](1, -2, 0.1), [3]string{"1.000000e+00", "-2.000000e+00", "1.000000e-01"}},
	{tensor.Vector[float64](1, -2, 0.1), [3]string{"1.000000e+00", "-2.000000e+00", "1.000000e-01"}},
	{bytesOf(tensor.F8E5M2, 0x3c, 0xc0, 0x7b), [3]string{"1.000000e+00", "-2.000000e+00", "5.734400e+04"}},
	{bytesOf(tensor.F8E4M3, 0x38, 0xc0, 0x77), [3]string{"1.000000e+00", "-2.000000e+00", "2.400000e+02"}},
	{bytesOf(tensor.F8E4M3FN, 0x38, 0xc0, 0x7e), [3]string{"1.000000e+00", "-2.000000e+00", "4.480000e+02"}},
	{bytesOf(tensor.F8E4M3B11FNUZ, 0x58, 0xe0, 0x7f), [3]string{"1.000000e+00", "-2.000000e+00", "3.000000e+01"}},
	{bytesOf(tensor.F8E5M2FNUZ, 0x40, 0xc4, 0x7f), [3]string{"1.000000e+00", "-2.000000e+00", "5.734400e+04"}},
	{bytesOf(tensor.F8E4M3FNUZ, 0x40, 0xc8, 0x7f), [3]string{"1.000000e+00", "-2.000000e+00", "2.400000e+02"}},
	{bytesOf(tensor.F8E3M4, 0x30, 0xc0, 0x6f), [3]string{"1.000000e+00", "-2.000000e+00", "1.550000e+01"}},
	{bytesOf(tensor.F4E2M1FN, 0x02, 0x0c, 0x07), [3]string{"1.000000e+00", "-2.000000e+00", "6.000000e+00"}},
	{bytesOf(tensor.F8E8M0FNU, 0x7f, 0x80, 0x7d), [3]string{"1.000000e+00", "2.000000e+00", "2.500000e-01"}},
	{tensor.Vector[complex64](1, -2i, 3+0.5i),
		[3]string{"(1.000000e+00,0.000000e+00)", "(0.000000e+00,-2.000000e+00)", "(3.000000e+00,5.000000e-01)"}},
	{tensor.Vector[complex128](1, -2i, 3+0.5i),
		[3]string{"(1.000000e+00,0.000000e+00)", "(0.000000e+00,-2.000000e+00)", "(3.000000e+00,5.000000e-01)"}},
}

// bytesOf returns three elements, given by their bytes in little-endian order.
func bytesOf(d tensor.DType, data ...byte) tensor.View {
	return tensor.View{Shape: tensor.ShapeOf(d, 3), Data: data}
}

func TestConstant(t *testing.T) {
	c := mlirtest.Context(t)
	var tested []tensor.DType
	for _, test := range constants {
		d := test.view.Shape.DType
		tested = append(tested, d)
		t.Run(d.String(), func(t *testing.T) {
			made := func(want string, data []byte, dims ...int) {
				t.Helper()
				shape := tensor.ShapeOf(d, dims...)
				typ, err := TensorType(c, shape)
				check.NoError(t, err)
				check.Diff(t, "value", "dense<"+want+"> : "+typ.String(),
					constant(t, c, tensor.View{Shape: shape, Data: data}))
			}
			p, data, size := test.printed, test.view.Data, d.Size()
			last := data[2*size:]
			made("["+strings.Join(p[:], ", ")+"]", data, 3)
			made("[["+p[0]+"], ["+p[1]+"], ["+p[2]+"]]", data, 3, 1)
			made("[["+p[0]+", "+p[1]+", "+p[2]+"], ["+p[0]+", "+p[1]+", "+p[2]+"]]", slices.Repeat(data, 2), 2, 3)
			made(p[2], last)
			made(p[2], last, 1)
			made(p[2], slices.Repeat(last, 4), 2, 2)
			made("", nil, 0)
			made("", []byte{}, 2, 0)
		})
	}
	check.Diff(t, "element types", tensor.DTypes(), tested)
}

// TestConstantPred checks sizes around a multiple of eight, because booleans may be packed
// eight to a byte, and that every nonzero byte is true.
func TestConstantPred(t *testing.T) {
	c := mlirtest.Context(t)
	for n := 1; n <= 26; n++ {
		for _, rows := range []int{1, 2} {
			data := make([]byte, n*rows)
			var text []string
			for i := range data {
				word := "false"
				if i%3 == 1 || i == len(data)-1 {
					data[i], word = byte(i%255+1), "true"
				}
				text = append(text, word)
			}
			want := "dense<[[" + strings.Join(text[:n], ", ") + "]"
			if rows == 2 {
				want += ", [" + strings.Join(text[n:], ", ") + "]"
			}
			want += "]> : "
			if n*rows == 1 { // one element is a splat
				want = "dense<true> : "
			}
			shape := tensor.ShapeOf(tensor.Pred, rows, n)
			typ, err := TensorType(c, shape)
			check.NoError(t, err)
			check.Diff(t, shape.String(), want+typ.String(), constant(t, c, tensor.View{Shape: shape, Data: data}))
		}
		for value, word := range []string{"false", "true"} {
			shape := tensor.ShapeOf(tensor.Pred, n)
			typ, err := TensorType(c, shape)
			check.NoError(t, err)
			splat := tensor.View{Shape: shape, Data: slices.Repeat([]byte{byte(value)}, n)}
			check.Diff(t, "splat "+shape.String(), "dense<"+word+"> : "+typ.String(), constant(t, c, splat))
		}
	}
}

// TestConstantBitsAbove checks that the bits above those of a small element are ignored.
func TestConstantBitsAbove(t *testing.T) {
	c := mlirtest.Context(t)
	for d, want := range map[tensor.DType]string{
		tensor.S2: "[-1, 1, 0]", tensor.U2: "[3, 1, 0]", tensor.S4: "[-1, 5, 0]", tensor.U4: "[15, 5, 0]",
		tensor.F4E2M1FN: "[-6.000000e+00, 3.000000e+00, 0.000000e+00]",
	} {
		view := bytesOf(d, 0xff, 0xf5, 0xf0)
		check.Diff(t, d.String(), "dense<"+want+"> : tensor<3x"+d.MLIR()+">", constant(t, c, view))
		check.Diff(t, "the given bytes", []byte{0xff, 0xf5, 0xf0}, view.Data)
	}
}

func TestConstantErrors(t *testing.T) {
	c := mlirtest.Context(t)
	for _, test := range []struct {
		view tensor.View
		want string
	}{
		{tensor.View{}, "stablehlo.constant: tensor: the shape invalid[] has no element type"},
		{tensor.View{Shape: tensor.ShapeOf(tensor.Token)}, "stablehlo: token is not an element type"},
		{tensor.View{Shape: tensor.ShapeOf(tensor.F32, 2), Data: make([]byte, 7)},
			"stablehlo: a constant f32[2] needs 8 bytes, but 7 are given"},
		{tensor.View{Shape: tensor.ShapeOf(tensor.Pred, 9), Data: make([]byte, 2)},
			"stablehlo: a constant pred[9] needs 9 bytes, but 2 are given"},
		{tensor.View{Shape: tensor.ShapeOf(tensor.F32, -1, 2), Data: make([]byte, 8)},
			"stablehlo.constant: tensor: dimension 0 of f32[?,2] is not known"},
		{tensor.View{Shape: tensor.ShapeOf(tensor.F32, 1<<40, 1<<40)}, "stablehlo.constant: tensor: f32[1099511627776,1099511627776] is larger than any array can be"},
	} {
		_, err := mlirtest.Create(c, ConstantOp{test.view})
		check.Error(t, err, test.want)
	}
}
