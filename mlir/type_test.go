package mlir_test

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
)

// TestEachType creates every builtin type and checks its text, the type parsed from that
// text, its kind and its dialect.
func TestEachType(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		f32, i8 := c.F32Type(), c.IntegerType(8, mlir.Signless)
		space := c.IntegerAttribute(c.IntegerType(64, mlir.Signless), 3)
		transposed := affine.Permutation(c, 1, 0).Attribute()
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
			{check.Must(c.ComplexType(f32)), mlir.KindComplex, "complex<f32>"},
			{check.Must(c.VectorType(f32)), mlir.KindVector, "vector<f32>"},
			{check.Must(c.VectorType(i8, 2, 4)), mlir.KindVector, "vector<2x4xi8>"},
			{check.Must(c.ScalableVectorType(f32, []int64{2, 4}, []bool{false, true})), mlir.KindVector,
				"vector<2x[4]xf32>"},
			{check.Must(c.TensorType(f32)), mlir.KindRankedTensor, "tensor<f32>"},
			{check.Must(c.TensorType(i8, 0, mlir.Dynamic)), mlir.KindRankedTensor, "tensor<0x?xi8>"},
			{check.Must(c.EncodedTensorType(f32, c.StringAttribute("csr"), 3)), mlir.KindRankedTensor,
				`tensor<3xf32, "csr">`},
			{check.Must(c.UnrankedTensorType(f32)), mlir.KindUnrankedTensor, "tensor<*xf32>"},
			{check.Must(c.MemRefType(f32, mlir.MemRefOptions{}, 2, mlir.Dynamic)), mlir.KindMemRef, "memref<2x?xf32>"},
			{check.Must(c.MemRefType(f32, mlir.MemRefOptions{MemorySpace: space}, 2)), mlir.KindMemRef,
				"memref<2xf32, 3>"},
			{check.Must(c.MemRefType(f32, mlir.MemRefOptions{Layout: transposed}, 2, 3)), mlir.KindMemRef,
				"memref<2x3xf32, affine_map<(d0, d1) -> (d1, d0)>>"},
			{check.Must(c.MemRefType(f32, mlir.MemRefOptions{Layout: strided, MemorySpace: space}, 2, 3)),
				mlir.KindMemRef, "memref<2x3xf32, strided<[4, ?], offset: ?>, 3>"},
			{check.Must(c.UnrankedMemRefType(f32, mlir.Attribute{})), mlir.KindUnrankedMemRef, "memref<*xf32>"},
			{check.Must(c.UnrankedMemRefType(f32, space)), mlir.KindUnrankedMemRef, "memref<*xf32, 3>"},
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

// TestFloatTypes creates every format that the library has, and checks that others are
// refused.
func TestFloatTypes(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		for _, k := range mlir.FloatKinds() {
			typ, err := c.FloatType(k)
			if errors.Is(err, mlir.ErrUnsupported) {
				if k == mlir.F8E5M3FNU && !e.Library.Has("mlirFloat8E5M3FNUTypeGet") {
					continue
				}
				t.Errorf("all of the libraries tested have %s: %v", k, err)
				continue
			}
			check.NoError(t, err)
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
		parse := func(text string) mlir.Type { return check.Must(c.ParseType(text)) }
		bits, s, ok := parse("ui7").IntegerWidth()
		check.Diff(t, "ui7", []any{7, mlir.Unsigned, true}, []any{bits, s, ok})
		_, _, ok = parse("index").IntegerWidth()
		check.Diff(t, "index has a width", false, ok)
		check.Diff(t, "index", true, parse("index").IsIndex())
		check.Diff(t, "none", true, parse("none").IsNone())
		part, ok := parse("complex<i8>").ComplexElement()
		check.Diff(t, "complex", []any{"i8", true}, []any{part.String(), ok})
		_, ok = parse("i8").ComplexElement()
		check.Diff(t, "i8 is complex", false, ok)

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
			check.Diff(t, "rank of "+test.typ, []any{test.rank, test.ranked}, []any{rank, ranked})
			n, known := parse(test.typ).NumElements()
			if known != test.known || known && n != test.n {
				t.Errorf("%s has %d elements, %v; want %d, %v", test.typ, n, known, test.n, test.known)
			}
		}
		check.Diff(t, "shaped", []bool{true, false}, []bool{parse("tensor<*xf32>").IsShaped(), parse("f32").IsShaped()})
		scalable, ok := parse("vector<2x[4]xf32>").ScalableDims()
		check.Diff(t, "scalable", []any{[]bool{false, true}, true, false},
			[]any{scalable, ok, parse("vector<2xf32>").IsScalable()})
		_, ok = parse("tensor<2xf32>").ScalableDims()
		check.Diff(t, "a tensor is scalable", false, ok)
		encoding, ok := parse(`tensor<2xf32, "x">`).Encoding()
		check.Diff(t, "encoding", []any{`"x"`, true}, []any{encoding.String(), ok})
		_, ok = parse("tensor<2xf32>").Encoding()
		check.Diff(t, "no encoding", false, ok)

		strides, offset, ok := parse("memref<2x3xf32>").Strides()
		check.Diff(t, "strides", []any{[]int64{3, 1}, int64(0), true}, []any{strides, offset, ok})
		strides, offset, ok = parse("memref<2x3xf32, strided<[?, 1], offset: 5>>").Strides()
		check.Diff(t, "given strides", []any{[]int64{mlir.Dynamic, 1}, int64(5), true}, []any{strides, offset, ok})
		_, _, ok = parse("memref<f32>").Strides()
		check.Diff(t, "strides of rank 0", true, ok)
		_, _, ok = parse("memref<9xf32, affine_map<(d0) -> (d0 floordiv 3, d0 mod 3)>>").Strides()
		check.Diff(t, "a tiled layout has strides", false, ok)
		_, _, ok = parse("f32").Strides()
		check.Diff(t, "f32 has strides", false, ok)
		attribute, ok := parse("memref<2xf32, strided<[4]>>").Layout()
		check.Diff(t, "layout attribute", []any{mlir.AttrStridedLayout, true}, []any{attribute.Kind(), ok})
		for typ, want := range map[string]string{"memref<2xf32, 1>": "1 : i64", "memref<*xf32, 2>": "2 : i64"} {
			space, ok := parse(typ).MemorySpace()
			check.Diff(t, "memory space of "+typ, []any{want, true}, []any{space.String(), ok})
		}
		_, ok = parse("memref<2xf32>").MemorySpace()
		check.Diff(t, "the default memory space", false, ok)
	})
}

// TestTypeRefused checks that types which MLIR cannot have are errors.
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
			"memref of functions": func() (mlir.Type, error) {
				return c.MemRefType(c.TupleType(), mlir.MemRefOptions{}, 2)
			},
			"unranked memref": func() (mlir.Type, error) {
				return c.UnrankedMemRefType(c.TupleType(), mlir.Attribute{})
			},
			"memref dimension": func() (mlir.Type, error) {
				return c.MemRefType(f32, mlir.MemRefOptions{}, math.MinInt64+1)
			},
			"layout of another kind": func() (mlir.Type, error) {
				return c.MemRefType(f32, mlir.MemRefOptions{Layout: c.StringAttribute("x")}, 2)
			},
			"layout of another rank": func() (mlir.Type, error) {
				return c.MemRefType(f32, mlir.MemRefOptions{Layout: affine.Identity(c, 3).Attribute()}, 2)
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
		typ := check.Must(c.OpaqueType("nosuch", "t<1>"))
		namespace, data, ok := typ.Opaque()
		if typ.String() != "!nosuch.t<1>" || typ.Kind() != mlir.KindOpaque || namespace != "nosuch" || data != "t<1>" ||
			!ok {
			t.Errorf("opaque type %s of %q, %q, %v", typ, namespace, data, ok)
		}
		attribute := check.Must(c.OpaqueAttribute("nosuch", "a<2>", mlir.Type{}))
		namespace, data, ok = attribute.Opaque()
		if attribute.String() != "#nosuch.a<2>" || attribute.Kind() != mlir.AttrOpaque || namespace != "nosuch" ||
			data != "a<2>" || !ok {
			t.Errorf("opaque attribute %s of %q, %q, %v", attribute, namespace, data, ok)
		}
		typed := check.Must(c.OpaqueAttribute("nosuch", "", c.IndexType()))
		if of, _ := typed.Type(); !of.IsIndex() {
			t.Errorf("the opaque attribute %s is of type %s", typed, of)
		}
		if _, _, ok := c.IndexType().Opaque(); ok {
			t.Error("index is opaque")
		}
	})
}
