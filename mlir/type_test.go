package mlir_test

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// must is for calls that a test takes for granted.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestEachType makes every builtin type, and expects MLIR's text for it, the same type
// from that text, its kind and its dialect.
func TestEachType(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		f32, i8 := c.F32Type(), c.IntegerType(8, mlir.Signless)
		space := c.IntegerAttribute(c.IntegerType(64, mlir.Signless), 3)
		transposed := c.AffineMapAttribute(c.PermutationMap(1, 0))
		strided := c.StridedLayoutAttribute(mlir.Dynamic, 4, mlir.Dynamic)
		for _, test := range []struct {
			typ  mlir.Type
			kind mlir.TypeKind
			want string
		}{
			{i8, mlir.KindInteger, "i8"},
			{c.IntegerType(0, mlir.Signless), mlir.KindInteger, "i0"},
			{c.IntegerType(4, mlir.Signed), mlir.KindInteger, "si4"},
			{c.IntegerType(1<<24-1, mlir.Unsigned), mlir.KindInteger, "ui16777215"},
			{c.IndexType(), mlir.KindIndex, "index"},
			{f32, mlir.KindFloat, "f32"},
			{c.F64Type(), mlir.KindFloat, "f64"},
			{c.NoneType(), mlir.KindNone, "none"},
			{must(c.ComplexType(f32)), mlir.KindComplex, "complex<f32>"},
			{must(c.VectorType(f32)), mlir.KindVector, "vector<f32>"},
			{must(c.VectorType(i8, 2, 4)), mlir.KindVector, "vector<2x4xi8>"},
			{must(c.ScalableVectorType(f32, []int64{2, 4}, []bool{false, true})), mlir.KindVector, "vector<2x[4]xf32>"},
			{must(c.TensorType(f32)), mlir.KindRankedTensor, "tensor<f32>"},
			{must(c.TensorType(i8, 0, mlir.Dynamic)), mlir.KindRankedTensor, "tensor<0x?xi8>"},
			{must(c.EncodedTensorType(f32, c.StringAttribute("csr"), 3)), mlir.KindRankedTensor, `tensor<3xf32, "csr">`},
			{must(c.UnrankedTensorType(f32)), mlir.KindUnrankedTensor, "tensor<*xf32>"},
			{must(c.MemRefType(f32, mlir.MemRefOptions{}, 2, mlir.Dynamic)), mlir.KindMemRef, "memref<2x?xf32>"},
			{must(c.MemRefType(f32, mlir.MemRefOptions{MemorySpace: space}, 2)), mlir.KindMemRef, "memref<2xf32, 3>"},
			{must(c.MemRefType(f32, mlir.MemRefOptions{Layout: transposed}, 2, 3)), mlir.KindMemRef, "memref<2x3xf32, affine_map<(d0, d1) -> (d1, d0)>>"},
			{must(c.MemRefType(f32, mlir.MemRefOptions{Layout: strided, MemorySpace: space}, 2, 3)), mlir.KindMemRef, "memref<2x3xf32, strided<[4, ?], offset: ?>, 3>"},
			{must(c.UnrankedMemRefType(f32, mlir.Attribute{})), mlir.KindUnrankedMemRef, "memref<*xf32>"},
			{must(c.UnrankedMemRefType(f32, space)), mlir.KindUnrankedMemRef, "memref<*xf32, 3>"},
			{c.TupleType(), mlir.KindTuple, "tuple<>"},
			{c.TupleType(f32, i8), mlir.KindTuple, "tuple<f32, i8>"},
			{c.FunctionType([]mlir.Type{f32}, []mlir.Type{i8, i8}), mlir.KindFunction, "(f32) -> (i8, i8)"},
		} {
			if got := test.typ.String(); got != test.want {
				t.Errorf("type prints as %s, want %s", got, test.want)
			}
			if parsed, err := c.ParseType(test.want); err != nil || !parsed.Equal(test.typ) {
				t.Errorf("%s parses as %v, %v", test.want, parsed, err)
			}
			if got := test.typ.Kind(); got != test.kind {
				t.Errorf("the kind of %s is %s, want %s", test.want, got, test.kind)
			}
			if got := test.typ.Dialect(); got != "builtin" {
				t.Errorf("%s is a type of the dialect %q", test.want, got)
			}
		}
	})
}

// TestFloatTypes makes every format that the library has; the others are refused.
func TestFloatTypes(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		for _, k := range mlir.FloatKinds() {
			typ, err := c.FloatType(k)
			if errors.Is(err, mlir.ErrUnsupported) {
				t.Errorf("all of the libraries tested have %s: %v", k, err)
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			got, ok := typ.FloatKind()
			if typ.String() != k.String() || got != k || !ok {
				t.Errorf("%s prints as %s and is of the kind %s", k, typ, got)
			}
			if k != mlir.TF32 && !strings.HasPrefix(strings.TrimLeft(k.String(), "bf"), strconv.Itoa(k.Bits())) {
				t.Errorf("%s has %d bits", k, k.Bits())
			}
		}
		if _, err := c.FloatType(0); err == nil {
			t.Error("there is a float type of kind 0")
		}
		if k, ok := c.IndexType().FloatKind(); ok {
			t.Errorf("index is of the float kind %s", k)
		}
	})
}

func TestTypeQueries(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		parse := func(text string) mlir.Type { return must(c.ParseType(text)) }
		check := func(what string, got, want any) {
			t.Helper()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		bits, s, ok := parse("ui7").IntegerWidth()
		check("ui7", []any{bits, s, ok}, []any{7, mlir.Unsigned, true})
		_, _, ok = parse("index").IntegerWidth()
		check("index has a width", ok, false)
		check("index", parse("index").IsIndex(), true)
		check("none", parse("none").IsNone(), true)
		part, ok := parse("complex<i8>").ComplexElement()
		check("complex", []any{part.String(), ok}, []any{"i8", true})
		_, ok = parse("i8").ComplexElement()
		check("i8 is complex", ok, false)

		for _, test := range []struct {
			typ    string
			rank   int
			ranked bool
			n      int64
			known  bool
		}{
			{"tensor<f32>", 0, true, 1, true},
			{"tensor<2x3xf32>", 2, true, 6, true},
			{"tensor<2x?xf32>", 2, true, 0, false},
			{"tensor<0x?xf32>", 2, true, 0, false},
			{"tensor<4294967296x4294967296x0xi8>", 3, true, 0, true},
			{"tensor<4294967296x4294967296xi8>", 2, true, 0, false},
			{"tensor<4294967296x2147483648xi8>", 2, true, 0, false},
			{"tensor<*xf32>", 0, false, 0, false},
			{"vector<[4]xf32>", 1, true, 4, true},
			{"memref<2x3xf32>", 2, true, 6, true},
			{"i8", 0, false, 0, false},
		} {
			rank, ranked := parse(test.typ).Rank()
			check("rank of "+test.typ, []any{rank, ranked}, []any{test.rank, test.ranked})
			n, known := parse(test.typ).NumElements()
			if known != test.known || known && n != test.n {
				t.Errorf("%s has %d elements, %v; want %d, %v", test.typ, n, known, test.n, test.known)
			}
		}
		check("shaped", []bool{parse("tensor<*xf32>").IsShaped(), parse("f32").IsShaped()}, []bool{true, false})
		scalable, ok := parse("vector<2x[4]xf32>").ScalableDims()
		check("scalable", []any{scalable, ok, parse("vector<2xf32>").IsScalable()}, []any{[]bool{false, true}, true, false})
		_, ok = parse("tensor<2xf32>").ScalableDims()
		check("a tensor is scalable", ok, false)
		encoding, ok := parse(`tensor<2xf32, "x">`).Encoding()
		check("encoding", []any{encoding.String(), ok}, []any{`"x"`, true})
		_, ok = parse("tensor<2xf32>").Encoding()
		check("no encoding", ok, false)

		strides, offset, ok := parse("memref<2x3xf32>").Strides()
		check("strides", []any{strides, offset, ok}, []any{[]int64{3, 1}, int64(0), true})
		strides, offset, ok = parse("memref<2x3xf32, strided<[?, 1], offset: 5>>").Strides()
		check("given strides", []any{strides, offset, ok}, []any{[]int64{mlir.Dynamic, 1}, int64(5), true})
		_, _, ok = parse("memref<f32>").Strides()
		check("strides of rank 0", ok, true)
		_, _, ok = parse("memref<9xf32, affine_map<(d0) -> (d0 floordiv 3, d0 mod 3)>>").Strides()
		check("a tiled layout has strides", ok, false)
		_, _, ok = parse("f32").Strides()
		check("f32 has strides", ok, false)
		layout, ok := parse("memref<2x3xf32>").LayoutMap()
		check("layout", []any{layout.String(), layout.IsIdentity(), ok}, []any{"(d0, d1) -> (d0, d1)", true, true})
		attribute, ok := parse("memref<2xf32, strided<[4]>>").Layout()
		check("layout attribute", []any{attribute.Kind(), ok}, []any{mlir.AttrStridedLayout, true})
		_, ok = parse("f32").LayoutMap()
		check("f32 has a layout", ok, false)
		for typ, want := range map[string]string{"memref<2xf32, 1>": "1 : i64", "memref<*xf32, 2>": "2 : i64"} {
			space, ok := parse(typ).MemorySpace()
			check("memory space of "+typ, []any{space.String(), ok}, []any{want, true})
		}
		_, ok = parse("memref<2xf32>").MemorySpace()
		check("the default memory space", ok, false)
	})
}

// TestTypeRefused holds that types which MLIR cannot have are errors.
func TestTypeRefused(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		f32 := c.F32Type()
		function := c.FunctionType(nil, nil)
		for name, make := range map[string]func() (mlir.Type, error){
			"complex of index":      func() (mlir.Type, error) { return c.ComplexType(c.IndexType()) },
			"tensor of functions":   func() (mlir.Type, error) { return c.TensorType(function, 2) },
			"unranked of functions": func() (mlir.Type, error) { return c.UnrankedTensorType(function) },
			"negative dimension":    func() (mlir.Type, error) { return c.TensorType(f32, -1) },
			"dynamic vector":        func() (mlir.Type, error) { return c.VectorType(f32, mlir.Dynamic) },
			"empty vector":          func() (mlir.Type, error) { return c.VectorType(f32, 0) },
			"vector of functions":   func() (mlir.Type, error) { return c.VectorType(function, 2) },
			"flags and dimensions":  func() (mlir.Type, error) { return c.ScalableVectorType(f32, []int64{2}, nil) },
			"memref of functions":   func() (mlir.Type, error) { return c.MemRefType(c.TupleType(), mlir.MemRefOptions{}, 2) },
			"unranked memref":       func() (mlir.Type, error) { return c.UnrankedMemRefType(c.TupleType(), mlir.Attribute{}) },
			"memref dimension":      func() (mlir.Type, error) { return c.MemRefType(f32, mlir.MemRefOptions{}, math.MinInt64+1) },
			"layout of another kind": func() (mlir.Type, error) {
				return c.MemRefType(f32, mlir.MemRefOptions{Layout: c.StringAttribute("x")}, 2)
			},
			"layout of another rank": func() (mlir.Type, error) {
				return c.MemRefType(f32, mlir.MemRefOptions{Layout: c.AffineMapAttribute(c.IdentityMap(3))}, 2)
			},
			"strides of another rank": func() (mlir.Type, error) {
				return c.MemRefType(f32, mlir.MemRefOptions{Layout: c.StridedLayoutAttribute(0, 1, 1)}, 2)
			},
			"opaque without name":    func() (mlir.Type, error) { return c.OpaqueType("", "x") },
			"opaque bad name":        func() (mlir.Type, error) { return c.OpaqueType("a.b", "x") },
			"opaque unknown dialect": func() (mlir.Type, error) { return c.OpaqueType("nosuch", "x") },
		} {
			if typ, err := make(); err == nil || !typ.IsNil() {
				t.Errorf("%s: made %v, %v", name, typ, err)
			}
		}
	})
}

func TestOpaque(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := e.Library.NewContext(mlir.ContextOptions{AllowUnregistered: true})
		defer c.Close()
		typ := must(c.OpaqueType("nosuch", "t<1>"))
		namespace, data, ok := typ.Opaque()
		if typ.String() != "!nosuch.t<1>" || typ.Kind() != mlir.KindOpaque || namespace != "nosuch" || data != "t<1>" || !ok {
			t.Errorf("opaque type %s of %q, %q, %v", typ, namespace, data, ok)
		}
		attribute := must(c.OpaqueAttribute("nosuch", "a<2>", mlir.Type{}))
		namespace, data, ok = attribute.Opaque()
		if attribute.String() != "#nosuch.a<2>" || attribute.Kind() != mlir.AttrOpaque || namespace != "nosuch" || data != "a<2>" || !ok {
			t.Errorf("opaque attribute %s of %q, %q, %v", attribute, namespace, data, ok)
		}
		typed := must(c.OpaqueAttribute("nosuch", "", c.IndexType()))
		if of, _ := typed.Type(); !of.IsIndex() {
			t.Errorf("the opaque attribute %s is of type %s", typed, of)
		}
		if _, _, ok := c.IndexType().Opaque(); ok {
			t.Error("index is opaque")
		}
	})
}
