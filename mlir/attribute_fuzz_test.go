package mlir_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
)

// FuzzTypes parses a type and calls all of its readers. No reader may crash on an accepted
// type, and its text must parse again.
func FuzzTypes(f *testing.F) {
	for _, seed := range []string{
		"tensor<2x?xf32>", "tuple<i1, tensor<*xf64>>", "(i32) -> ()", "!stablehlo.token", "memref<2xf32, strided<[1]>>",
		"vector<[4]xi8>", "!quant.any<i8:f32>", "complex<f32>", "tensor<?x2xf32, unit>",
		"memref<2x?xf32, affine_map<(i, j) -> (j, i)>, 3>", "memref<*xf32, 1>", "vector<[4]x2xf32>", "complex<i8>",
		"tuple<i8, (i8) -> none>", "!nosuch.t<x>", "tensor<2xi8, dense<(1, 2)> : tensor<i32>>",
	} {
		f.Add(seed)
	}
	contexts := fuzzContext{options: mlir.ContextOptions{AllowUnregistered: true}}
	f.Fuzz(func(t *testing.T, text string) {
		if crashes(text) {
			return
		}
		c := contexts.get(t)
		typ, err := c.ParseType(text)
		if err != nil {
			return
		}
		readType(typ)
		if strings.Contains(text, "!") && strings.Contains(text, "-") {
			return // MLIR prints !a.x- as !a<x->, which it does not parse
		}
		if again, err := c.ParseType(typ.String()); err != nil || !again.Equal(typ) {
			t.Errorf("%q prints as %s and parses as %v, %v", text, typ, again, err)
		}
	})
}

// FuzzAttributes does so with attributes. MLIR does not parse all attributes that it
// prints. Those that it parses must be the same, except for distinct attributes and for
// locations, whose columns it omits.
func FuzzAttributes(f *testing.F) {
	for _, seed := range []string{
		"unit", "true", "1 : i128", "1.5 : f8E8M0FNU", `"s" : i8`, "@a::@b", "[1, {a}]", "array<i8: 1>", "array<bf16>",
		"dense<[1, 2]> : tensor<2xi4>", "dense<> : tensor<0x4xi1>", `dense<"0x01020304"> : tensor<4xi8>`,
		"dense<(1, 2)> : tensor<complex<i4>>",
		"dense<1> : vector<[4]xindex>", `dense<["a"]> : tensor<1x!nosuch.s>`,
		"dense<true> : tensor<9999999999x9999999999xi1>",
		"dense_resource<x> : tensor<2xi8>", "affine_map<(d0)[s0] -> (d0 mod s0, d0 floordiv 0)>",
		"affine_set<(d0) : (d0 >= 0)>", "strided<[?], offset: 3>", `loc(fused["a", "f":1:2])`, "#nosuch.x<1>",
		"distinct[0]<unit>",
		"tensor<?x2xf32, unit>", "memref<2x?xf32, affine_map<(i, j) -> (j, i)>, 3>",
		`"a\00b"`, "-7 : si4", "[1, {a = unit}]", "dense<[true, false]> : tensor<2xi1>", "array<i64: 1, 2>",
		"dense<1.5> : tensor<2xbf16>",
		"#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 1, operand_tuple_indices = []>", "dense<[0, 1]> : tensor<2xindex>",
		"dense<(1, 2)> : tensor<i32>", "dense<[(1, 2), (3, 4)]> : tensor<2xcomplex<i32>>",
		"dense<(1.0, -2.0)> : tensor<complex<f64>>",
		"dense<[-8, 7]> : tensor<2xi4>", "dense<(1, 2)> : tensor<i4>", "dense<-1> : tensor<index>",
		"dense<(1, 2)> : tensor<index>",
		`dense<"0x0100000002000000"> : tensor<2xi32>`, `dense<"0x01"> : tensor<i8>`, `dense<"0xFF"> : tensor<9xi1>`,
		"dense<[]> : tensor<0xi8>",
		`dense_resource<"a b"> : tensor<2xi8>`, "dense_resource<x> : tensor<?xi8>",
		"dense_resource<x> : vector<[4]xf32>",
		"dense_resource<x> : tensor<99999999999x99999999999xi64>",
		"[dense_resource<x> : tensor<0xi1>, dense_resource<x> : tensor<1xi1>]",
		"dense_resource<> : tensor<1xi8>", `dense_resource<x> : tensor<2x!nosuch.s>`,
		"dense_resource<x> : memref<2xi8>",
		"dense_resource<x> : tensor<2xcomplex<f32>>",
		"dense_resource<x> : tensor<2xi8, dense_resource<y> : tensor<1xi8>>",
		"dense<[[1], [2]]> : tensor<2x1xi64>", "dense<0x7FC0> : tensor<2xbf16>",
		"dense<[0x7F800000, 1.0]> : tensor<2xf32>",
	} {
		f.Add(seed)
	}
	contexts := fuzzContext{options: mlir.ContextOptions{AllowUnregistered: true}}
	f.Fuzz(func(t *testing.T, text string) {
		if crashes(text) {
			return
		}
		c := contexts.get(t)
		a, err := c.ParseAttribute(text)
		if err != nil {
			return
		}
		readAttribute(a)
		printed := a.String()
		if strings.Contains(printed, "distinct[") || strings.Contains(printed, "dense_resource<") ||
			strings.Contains(printed, "loc(") {
			return
		}
		if strings.Contains(text, `"0x`) {
			return // its bits outside the elements, as of i4, are not printed
		}
		if again, err := c.ParseAttribute(printed); err == nil && !again.Equal(a) {
			t.Errorf("%q prints as %s, which is another attribute", text, printed)
		}
	})
}

// crashes reports whether the library's own parser may crash on a text, as it does on
// sparse<[[0]], 7> : tensor<1xf16>.
func crashes(text string) bool { return strings.Contains(text, "sparse") }

func readType(t mlir.Type) {
	_, _, _ = t.Kind(), t.Dialect(), t.IsScalable()
	t.Dims()
	t.Element()
	t.Elements()
	t.Signature()
	t.NumElements()
	t.Strides()
	t.MemorySpace()
	t.ScalableDims()
	t.Opaque()
	t.FloatKind()
	if m, ok := affine.LayoutOf(t); ok {
		m.IsProjectedPermutation()
		_, _ = m.Eval(make([]int64, m.NumDims()), make([]int64, m.NumSymbols()))
	}
}

func readAttribute(a mlir.Attribute) {
	_, _, _ = a.Kind(), a.Dialect(), a.IsSplat()
	a.Text()
	a.Bool()
	a.Symbol()
	a.TypeValue()
	a.Int64s()
	for range a.Entries() {
	}
	a.Int()
	a.Uint()
	a.BigInt()
	a.Float()
	a.SymbolPath()
	a.StridedLayout()
	a.SparseParts()
	a.Opaque()
	a.ResourceName()
	mlir.DenseArrayOf[bool](a)
	mlir.DenseArrayOf[float64](a)
	readDense[bool](a)
	readDense[int8](a)
	readDense[uint8](a)
	readDense[uint16](a)
	readDense[int64](a)
	readDense[float32](a)
	readDense[complex128](a)
	readDense[string](a)
	t, ok := a.Type()
	if ok {
		readType(t)
	}
	if n, ok := t0(t, ok); !ok || n < 1<<16 {
		a.DenseBytes()
		a.Indices()
	}
	if dims, ok := dims0(t, ok); ok {
		a.ElementAt(make([]int64, len(dims))...)
	}
	if m, ok := affine.MapOf(a); ok {
		for _, e := range m.Results() {
			e.LargestKnownDivisor()
			e.IsPureAffine()
		}
		_, _ = m.Eval(make([]int64, m.NumDims()), make([]int64, m.NumSymbols()))
		_ = affine.CompressSymbols(m)
	}
	if s, ok := affine.SetOf(a); ok {
		_, _ = s.Contains(make([]int64, s.NumDims()), make([]int64, s.NumSymbols()))
	}
	if elements, ok := a.Elements(); ok {
		for _, e := range elements {
			readAttribute(e)
		}
	}
}

func t0(t mlir.Type, ok bool) (int64, bool) {
	if !ok {
		return 0, false
	}
	return t.NumElements()
}

func dims0(t mlir.Type, ok bool) ([]int64, bool) {
	if !ok {
		return nil, false
	}
	return t.Dims()
}

func readDense[T mlir.DenseElement](a mlir.Attribute) {
	d, err := mlir.DenseOf[T](a)
	if err != nil || d.Len() == 0 {
		return
	}
	d.Splat()
	_, _ = d.At(0), d.At(d.Len()-1)
	if d.Len() < 1<<16 {
		d.Values()
	}
}
