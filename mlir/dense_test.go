package mlir_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// roundTrip creates dense elements from values, and checks the text and the values read
// back.
func roundTrip[T mlir.DenseElement](t *testing.T, c *mlir.Context, typ, want string, values ...T) {
	t.Helper()
	a, err := mlir.NewDense(check.Must(c.ParseType(typ)), values)
	if err != nil {
		t.Errorf("%s: %v", typ, err)
		return
	}
	if want += " : " + typ; a.String() != want {
		t.Errorf("%v prints as %s, want %s", values, a, want)
	}
	if parsed, err := c.ParseAttribute(want); err != nil || !parsed.Equal(a) {
		t.Errorf("%s parses as %v, %v", want, parsed, err)
	}
	d, err := mlir.DenseOf[T](a)
	if err != nil {
		t.Errorf("%s: %v", want, err)
		return
	}
	if diff := cmp.Diff(append([]T{}, values...), check.Must(d.Values())); diff != "" || d.Len() != len(values) {
		t.Errorf("%s has %d values (-want +got):\n%s", want, d.Len(), diff)
	}
	for i, v := range d.All() {
		if v != values[i] || d.At(i) != v {
			t.Errorf("%s has %v at %d, want %v", want, v, i, values[i])
		}
	}
	if _, ok := any(*new(T)).(string); ok {
		return
	}
	if data, err := a.DenseBytes(); err != nil ||
		!check.Must(c.DenseAttribute(check.Must(c.ParseType(typ)), data)).Equal(a) {
		t.Errorf("the bytes %v, %v do not make %s again", data, err, want)
	}
}

func TestDense(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		roundTrip(t, c, "tensor<3xi1>", "dense<[true, false, true]>", true, false, true)
		roundTrip(t, c, "tensor<2x5xi1>",
			"dense<[[false, true, false, false, true], [true, true, false, true, false]]>",
			false, true, false, false, true, true, true, false, true, false)
		roundTrip(t, c, "tensor<2xi1>", "dense<true>", true, true)
		roundTrip[bool](t, c, "tensor<0xi1>", "dense<>")
		roundTrip(t, c, "tensor<3xi4>", "dense<[-8, 7, -1]>", int8(-8), 7, -1)
		roundTrip(t, c, "tensor<2xui4>", "dense<[15, 1]>", uint8(15), 1)
		roundTrip(t, c, "tensor<2xsi2>", "dense<[-2, 1]>", int8(-2), 1)
		roundTrip(t, c, "tensor<2xi8>", "dense<[-128, 127]>", int8(-128), 127)
		roundTrip(t, c, "tensor<2xui8>", "dense<[255, 0]>", uint8(255), 0)
		roundTrip(t, c, "tensor<2xi16>", "dense<[-2, 1]>", int16(-2), 1)
		roundTrip(t, c, "tensor<2xui16>", "dense<[65535, 1]>", uint16(65535), 1)
		roundTrip(t, c, "tensor<2xi32>", "dense<[-2, 1]>", int32(-2), 1)
		roundTrip(t, c, "tensor<2xui32>", "dense<[4294967295, 1]>", uint32(1<<32-1), 1)
		roundTrip(t, c, "tensor<2xi64>", "dense<[-2, 1]>", int64(-2), 1)
		roundTrip(t, c, "tensor<2xui64>", "dense<[18446744073709551615, 1]>", uint64(1<<64-1), 1)
		roundTrip(t, c, "tensor<2xindex>", "dense<[-2, 1]>", int64(-2), 1)
		roundTrip(t, c, "vector<2xf32>", "dense<[1.500000e+00, -2.000000e+00]>", float32(1.5), -2)
		roundTrip(t, c, "tensor<1x2xf64>", "dense<[[1.500000e+00, -2.000000e+00]]>", 1.5, -2)
		roundTrip(t, c, "tensor<f64>", "dense<1.000000e+00>", 1.0)
		roundTrip[float32](t, c, "tensor<0xf32>", "dense<>")
		roundTrip(t, c, "tensor<2xf16>", "dense<[1.000000e+00, -2.000000e+00]>", uint16(0x3c00), 0xc000)
		roundTrip(t, c, "tensor<2xbf16>", "dense<[1.000000e+00, -2.000000e+00]>", uint16(0x3f80), 0xc000)
		roundTrip(t, c, "tensor<2xf8E4M3FN>", "dense<[1.000000e+00, -2.000000e+00]>", uint8(0x38), 0xc0)
		roundTrip(t, c, "tensor<2xf8E5M2>", "dense<[1.000000e+00, -2.000000e+00]>", uint8(0x3c), 0xc0)
		roundTrip(t, c, "tensor<2xf4E2M1FN>", "dense<[1.000000e+00, -2.000000e+00]>", uint8(0x2), 0xc)
		roundTrip(t, c, "tensor<2xcomplex<f32>>", "dense<[(1.000000e+00,2.000000e+00), (0.000000e+00,-1.000000e+00)]>",
			complex64(1+2i), -1i)
		roundTrip(t, c, "tensor<2xcomplex<f64>>", "dense<[(1.000000e+00,2.000000e+00), (3.000000e+00,0.000000e+00)]>",
			1+2i, 3)
	})
}

func TestDenseStrings(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := e.Library.NewContext(mlir.ContextOptions{AllowUnregistered: true})
		defer c.Close()
		roundTrip(t, c, "tensor<3x!nosuch.string>", `dense<["a", "", "c\00d"]>`, "a", "", "c\x00d")
		roundTrip[string](t, c, "tensor<0x!nosuch.string>", "dense<>")
		splat := check.Must(mlir.NewDenseSplat(check.Must(c.ParseType("tensor<2x!nosuch.string>")), "x"))
		if got := check.Must(check.Must(mlir.DenseOf[string](splat)).Values()); !slices.Equal(got, []string{"x", "x"}) {
			t.Errorf("%s has the values %q", splat, got)
		}
		if at, ok := splat.ElementAt(1); !ok || !strings.HasPrefix(at.String(), `"x"`) {
			t.Errorf("%s has %s at 1, %v", splat, at, ok)
		}
	})
}

func TestDenseSplat(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		typ := func(text string) mlir.Type { return check.Must(c.ParseType(text)) }
		a := check.Must(mlir.NewDenseSplat(typ("tensor<1000x1000000xf32>"), float32(2.5)))
		d := check.Must(mlir.DenseOf[float32](a))
		v, ok := d.Splat()
		if a.String() != "dense<2.500000e+00> : tensor<1000x1000000xf32>" || !a.IsSplat() || !ok || v != 2.5 ||
			d.Len() != 1e9 || d.At(1e9-1) != 2.5 {
			t.Errorf("the splat %s reads as %v, %v, of %d", a, v, ok, d.Len())
		}
		for _, test := range []struct {
			a    mlir.Attribute
			want string
		}{
			{check.Must(mlir.NewDenseSplat(typ("tensor<4xi1>"), true)), "dense<true> : tensor<4xi1>"},
			{check.Must(mlir.NewDenseSplat(typ("tensor<4xi4>"), int8(-1))), "dense<-1> : tensor<4xi4>"},
			{check.Must(mlir.NewDenseSplat(typ("tensor<0xf32>"), float32(1))), "dense<> : tensor<0xf32>"},
			{check.Must(mlir.NewDenseSplat(typ("vector<[4]xf32>"), float32(1))),
				"dense<1.000000e+00> : vector<[4]xf32>"},
			{check.Must(mlir.NewDenseSplat(typ("vector<[4]xi1>"), false)), "dense<false> : vector<[4]xi1>"},
			{check.Must(c.DenseFromAttributes(typ("tensor<2xf8E5M2>"),
				c.FloatAttribute(check.Must(c.FloatType(mlir.F8E5M2)), 3))), "dense<3.000000e+00> : tensor<2xf8E5M2>"},
			{check.Must(c.DenseFromAttributes(typ("tensor<2xi128>"), check.Must(c.ParseAttribute("1 : i128")),
				check.Must(c.ParseAttribute("-2 : i128")))), "dense<[1, -2]> : tensor<2xi128>"},
			{check.Must(c.DenseFromAttributes(typ("tensor<2xi1>"), c.BoolAttribute(true), c.BoolAttribute(false))),
				"dense<[true, false]> : tensor<2xi1>"},
			{check.Must(c.DenseFromAttributes(typ("tensor<0xi8>"))), "dense<> : tensor<0xi8>"},
			{check.Must(check.Must(c.ParseAttribute("dense<[1, 2, 3, 4]> : tensor<4xi8>")).Reshape(
				typ("tensor<2x2xi8>"))), "dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>"},
			{check.Must(check.Must(c.ParseAttribute("dense<5> : tensor<4xi8>")).Reshape(typ("vector<2x2xi8>"))),
				"dense<5> : vector<2x2xi8>"},
		} {
			if got := test.a.String(); got != test.want {
				t.Errorf("made %s, want %s", got, test.want)
			}
		}
		for text, want := range map[string]string{
			"dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>":                              "3 : i8",
			"dense<5> : tensor<2x2xindex>":                                          "5 : index",
			"dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xbf16>":                    "3.000000e+00 : bf16",
			"sparse<[[1, 0], [0, 0]], [7, 8]> : tensor<2x2xi8>":                     "7 : i8",
			"sparse<[[1, 1], [0, 0]], [7, 8]> : tensor<2x2xi8>":                     "0 : i8",
			"dense<[[(1, 2), (3, 4)], [(5, 6), (7, 8)]]> : tensor<2x2xcomplex<i8>>": "[5 : i8, 6 : i8]",
		} {
			if at, ok := check.Must(c.ParseAttribute(text)).ElementAt(1, 0); !ok || at.String() != want {
				t.Errorf("%s has %s at 1, 0, %v; want %s", text, at, ok, want)
			}
		}
		if at, ok := check.Must(c.ParseAttribute("dense<5> : tensor<i8>")).ElementAt(); !ok || at.String() != "5 : i8" {
			t.Errorf("a scalar has the element %s, %v", at, ok)
		}
		grid := check.Must(c.ParseAttribute("dense<5> : tensor<2x2xi8>"))
		for _, index := range [][]int64{{}, {0}, {0, 2}, {-1, 0}, {0, 0, 0}} {
			if at, ok := grid.ElementAt(index...); ok {
				t.Errorf("%s has %s at %v", grid, at, index)
			}
		}
	})
}

// TestDenseRefused checks that a wrong count, type or kind is an error: the library would
// read past an array.
func TestDenseRefused(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		typ := func(text string) mlir.Type { return check.Must(c.ParseType(text)) }
		attribute := func(text string) mlir.Attribute { return check.Must(c.ParseAttribute(text)) }
		make := func(a mlir.Attribute, err error) error { return err }
		read := func(_ any, err error) error { return err }
		for want, err := range map[string]error{
			"1 values cannot fill tensor<2xi8>": make(
				mlir.NewDense(typ("tensor<2xi8>"), []int8{1})),
			"int8 does not hold": make(
				mlir.NewDense(typ("tensor<1xi16>"), []int8{1})),
			"int32 does not hold": make(
				mlir.NewDense(typ("tensor<1xi24>"), []int32{1})),
			"int8 does not hold an element of tensor<1xf8E5M2>": make(
				mlir.NewDense(typ("tensor<1xf8E5M2>"), []int8{1})),
			"float32 does not hold an element of tensor<1xi32>": make(
				mlir.NewDense(typ("tensor<1xi32>"), []float32{1})),
			"int32 does not hold an element of tensor<1xf32>": make(
				mlir.NewDense(typ("tensor<1xf32>"), []int32{1})),
			"string does not hold an element of tensor<1xf32>": make(
				mlir.NewDense(typ("tensor<1xf32>"), []string{"x"})),
			"string does not hold an element of tensor<1xi0>": make(
				mlir.NewDense(typ("tensor<1xi0>"), []string{"x"})),
			"string does not hold an element of tensor<1xvector<2xf32>>": make(
				mlir.NewDense(typ("tensor<1xvector<2xf32>>"), []string{"x"})),
			"float32 does not hold an element of tensor<1xvector<1xf32>>": make(
				mlir.NewDense(typ("tensor<1xvector<1xf32>>"), []float32{1})),
			"9 does not fit in si4": make(
				mlir.NewDense(typ("tensor<1xsi4>"), []int8{9})),
			"-1 does not fit in ui4": make(
				mlir.NewDense(typ("tensor<1xui4>"), []int8{-1})),
			"16 does not fit in i4": make(
				mlir.NewDense(typ("tensor<1xi4>"), []uint8{16})),
			"must have a tensor or vector type, not memref": make(
				mlir.NewDense(typ("memref<1xf32>"), []float32{1})),
			"tensor or vector type, not f32": make(mlir.NewDense(typ("f32"), []float32{1})),
			"static shape, not tensor<?xf32>": make(
				mlir.NewDense(typ("tensor<?xf32>"), []float32{1})),
			"not tensor<*xf32>": make(
				mlir.NewDenseSplat(typ("tensor<*xf32>"), float32(1))),
			"static shape, not tensor<4294967296x": make(
				mlir.NewDenseSplat(typ("tensor<4294967296x4294967296xf32>"), float32(1))),
			"only a splat can fill it": make(
				mlir.NewDense(typ("vector<[2]xf32>"), []float32{1, 2})),
			"only a splat can fill vector<[2]xi1>": make(
				mlir.NewDense(typ("vector<[2]xi1>"), []bool{true, false})),
			"3 bytes cannot fill": make(c.DenseAttribute(typ("tensor<2xi8>"), []byte{1, 2, 3})),
			"elements of type vector<2xf32> have no byte representation": make(
				c.DenseAttribute(typ("tensor<1xvector<2xf32>>"), []byte{1, 2, 3, 4})),
			"1 : i8 is not an element of": make(
				c.DenseFromAttributes(typ("tensor<1xi16>"), attribute("1 : i8"))),
			"2 attributes cannot fill": make(
				c.DenseFromAttributes(typ("tensor<3xi8>"), attribute("1 : i8"), attribute("1 : i8"))),
			`"x" : i8 is not an element of`: make(
				c.DenseFromAttributes(typ("tensor<1xi8>"), attribute(`"x" : i8`))),
			"from attributes: use NewDense": make(
				c.DenseFromAttributes(typ("tensor<1xcomplex<f32>>"), attribute("[1, 2]"))),
			"cannot reshape": make(attribute("dense<1> : tensor<2xi8>").Reshape(typ("tensor<3xi8>"))),
			"cannot reshape tensor<2xi8> to tensor<2xi16>": make(
				attribute("dense<1> : tensor<2xi8>").Reshape(typ("tensor<2xi16>"))),
			"it is not dense elements":               make(attribute("unit").Reshape(typ("tensor<2xi16>"))),
			"a unit attribute is not dense elements": read(mlir.DenseOf[int8](attribute("unit"))),
			"int8 does not hold an element of tensor<2xi16>": read(
				mlir.DenseOf[int8](attribute("dense<1> : tensor<2xi16>"))),
			"the resource \"none\" has no data": read(
				mlir.DenseOf[int8](attribute("dense_resource<none> : tensor<2xi8>"))),
			"too many elements": read(
				mlir.DenseOf[int8](attribute("dense<1> : tensor<4294967296x4294967296xi8>"))),
			"need indices of type": make(c.SparseAttribute(typ("tensor<2x2xi8>"),
				attribute("dense<0> : tensor<1x1xi64>"), attribute("dense<0> : tensor<1xi8>"))),
			"is outside dimension 0": make(c.SparseAttribute(typ("tensor<2xi8>"),
				attribute("dense<2> : tensor<1x1xi64>"), attribute("dense<0> : tensor<1xi8>"))),
			"are not elements of": make(c.SparseAttribute(typ("tensor<2xi8>"),
				attribute("dense<0> : tensor<1x1xi64>"), attribute("dense<0> : tensor<1xi16>"))),
			"must be i64, not i32": make(c.SparseAttribute(typ("tensor<2xi8>"),
				attribute("dense<0> : tensor<1x1xi32>"), attribute("dense<0> : tensor<1xi8>"))),
			"must be dense elements, not unit": make(
				c.SparseAttribute(typ("tensor<2xi8>"), attribute("unit"), attribute("unit"))),
			"is not a valid resource name": make(
				mlir.NewResource(typ("tensor<1xi8>"), "", []int8{1}, mlir.ResourceOptions{})),
			"2 values cannot fill tensor<1xi8>": make(
				mlir.NewResource(typ("tensor<1xi8>"), "r", []int8{1, 2}, mlir.ResourceOptions{})),
			"int16 does not hold an element of tensor<1xi8>": make(
				mlir.NewResource(typ("tensor<1xi8>"), "r", []int16{1}, mlir.ResourceOptions{})),
			"not aligned to 3 bytes": make(
				mlir.NewResource(typ("tensor<1xi8>"), "r", []int8{1}, mlir.ResourceOptions{Alignment: 3})),
		} {
			if err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(want, " vector<[2]xi1>")) {
				t.Errorf("error is %v, want it to contain %q", err, want)
			}
		}
	})
}

// TestResource checks that a resource remains in the caller's memory, is read from text,
// and is released when the context is closed.
func TestResource(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := e.Library.NewContext(mlir.ContextOptions{})
		released := 0
		values := []float32{1, 2, 3}
		a := check.Must(mlir.NewResource(check.Must(c.ParseType("tensor<3xf32>")), "my weights", values,
			mlir.ResourceOptions{Released: func() { released++ }}))
		for range 3 {
			runtime.GC() // the memory must outlive its slice
		}
		name, ok := a.ResourceName()
		if a.Kind() != mlir.AttrResource || name != "my weights" || !ok {
			t.Errorf("%s is a %s with the name %q, %v", a, a.Kind(), name, ok)
		}
		values[1] = 5 // not allowed to users; shows that the memory is not copied
		d := check.Must(mlir.DenseOf[float32](a))
		if diff := cmp.Diff([]float32{1, 5, 3}, check.Must(d.Values())); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
		again := check.Must(mlir.NewResource(check.Must(c.ParseType("tensor<1xi1>")), "my weights", []bool{true},
			mlir.ResourceOptions{}))
		if name, _ := again.ResourceName(); name == "my weights" || !check.Must(mlir.DenseOf[bool](again)).At(0) {
			t.Errorf("a second resource has the name %q", name)
		}
		empty := check.Must(
			mlir.NewResource(check.Must(c.ParseType("tensor<0xi64>")), "empty", []int64(nil), mlir.ResourceOptions{}))
		if n := check.Must(mlir.DenseOf[int64](empty)).Len(); n != 0 {
			t.Errorf("an empty resource has %d elements", n)
		}
		m := check.Must(c.Parse("r.mlir", []byte("module attributes {a.r = dense_resource<blob> : tensor<2xi16>} {}\n{-#\n dialect_resources: { builtin: { blob: \"0x0200000001000200\" } }\n#-}")))
		parsed, _ := m.Operation().Attribute("a.r")
		if diff := cmp.Diff([]int16{1, 2}, check.Must(check.Must(mlir.DenseOf[int16](parsed)).Values())); diff != "" {
			t.Errorf("read from text (-want +got):\n%s", diff)
		}
		if _, err := mlir.DenseOf[int32](check.Must(c.ParseAttribute("dense_resource<blob> : tensor<2xi32>"))); err ==
			nil {
			t.Error("4 bytes were read as two i32")
		}
		if released != 0 {
			t.Error("the memory was released while its context was open")
		}
		c.Close()
		if released != 1 {
			t.Errorf("the memory was released %d times", released)
		}
		check.Panics(t, "DenseElements.At called after Context.Close", func() { d.At(0) })
	})
}

func TestDenseMisuse(t *testing.T) {
	c := mlirtest.Context(t)
	d := check.Must(mlir.DenseOf[int8](check.Must(c.ParseAttribute("dense<[1, 2]> : tensor<2xi8>"))))
	check.Panics(t, "DenseElements.At(2): index out of range with length 2", func() { d.At(2) })
	check.Panics(t, "DenseElements.At(-1)", func() { d.At(-1) })
	check.Panics(t, "NewDense", func() { _, _ = mlir.NewDense(mlir.Type{}, []int8{1}) })
	check.Panics(t, "DenseOf called on a zero value", func() { _, _ = mlir.DenseOf[int8](mlir.Attribute{}) })
	check.Panics(t, "DenseElements.Len called on a zero value", func() { mlir.DenseElements[int8]{}.Len() })
	c.Close()
	check.Panics(t, "DenseElements.Values called after Context.Close", func() { d.Values() })
	check.Panics(t, "DenseElements.All called after Context.Close", func() {
		for range d.All() {
			break
		}
	})
}

// ExampleDenseOf reads a constant without a copy.
func ExampleDenseOf() {
	l, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := l.NewContext(mlir.ContextOptions{})
	defer c.Close()
	vector, _ := c.TensorType(c.F32Type(), 3)
	a, _ := mlir.NewDense(vector, []float32{1, 2, 4})
	d, _ := mlir.DenseOf[float32](a)
	sum := float32(0)
	for _, v := range d.All() {
		sum += v
	}
	fmt.Println(a, sum)
	// Output: dense<[1.000000e+00, 2.000000e+00, 4.000000e+00]> : tensor<3xf32> 7
}

// TestSplatLimit checks that a splat above the limit is not expanded but can be read.
func TestSplatLimit(t *testing.T) {
	for limit, want := range map[int64]string{0: "more than 1073741824 bytes", 1 << 20: "more than 1048576 bytes"} {
		c := mlirtest.Library(t).NewContext(mlir.ContextOptions{MaxSplatBytes: limit})
		defer c.Close()
		for _, text := range []string{"dense<1.0> : tensor<1099511627776xf32>",
			"dense<true> : tensor<1099511627776xi1>"} {
			_, err := mlirtest.Attribute(c, text).DenseBytes()
			check.Error(t, err, want)
		}
		d := check.Must(mlir.DenseOf[float32](mlirtest.Attribute(c, "dense<1.0> : tensor<1099511627776xf32>")))
		_, err := d.Values()
		check.Error(t, err, want)
		check.Diff(t, "an element", float32(1), d.At(1<<40-1))
		check.Diff(t, "bytes", 4<<10,
			len(check.Must(mlirtest.Attribute(c, "dense<1.0> : tensor<1024xf32>").DenseBytes())))
	}
	c := mlirtest.Library(t).NewContext(mlir.ContextOptions{MaxSplatBytes: -1})
	defer c.Close()
	check.Diff(t, "without a limit", 8<<20,
		len(check.Must(mlirtest.Attribute(c, "dense<1.0> : tensor<2097152xf32>").DenseBytes())))
}
