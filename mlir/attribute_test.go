package mlir_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
)

// TestEachAttribute creates every builtin attribute and checks its text, the attribute
// parsed from that text, its kind and its dialect.
func TestEachAttribute(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		i1, i8, i64 := c.IntegerType(1, mlir.Signless), c.IntegerType(8, mlir.Signless),
			c.IntegerType(64, mlir.Signless)
		i128 := c.IntegerType(128, mlir.Signless)
		wide := new(big.Int).Lsh(big.NewInt(-1), 100)
		vector := check.Must(c.TensorType(i64, 2))
		at := check.Must(mlir.NewDense(check.Must(c.TensorType(i64, 1, 1)), []int64{1}))
		seven := check.Must(mlir.NewDense(check.Must(c.TensorType(i64, 1)), []int64{7}))
		for _, test := range []struct {
			attribute mlir.Attribute
			kind      mlir.AttributeKind
			want      string
		}{
			{c.UnitAttribute(), mlir.AttrUnit, "unit"},
			{c.BoolAttribute(true), mlir.AttrBool, "true"},
			{c.IntegerAttribute(i1, 0), mlir.AttrBool, "false"},
			{c.IntegerAttribute(i1, -1), mlir.AttrBool, "true"},
			{c.IntegerAttribute(i8, 255), mlir.AttrInteger, "-1 : i8"},
			{c.IntegerAttribute(c.IntegerType(0, mlir.Signless), 0), mlir.AttrInteger, "0 : i0"},
			{c.IntegerAttribute(c.IndexType(), math.MinInt64), mlir.AttrInteger, "-9223372036854775808 : index"},
			{c.IntegerAttribute(i128, -5), mlir.AttrInteger, "-5 : i128"},
			{check.Must(c.BigIntegerAttribute(i128, wide)), mlir.AttrInteger,
				"-1267650600228229401496703205376 : i128"},
			{c.FloatAttribute(c.F32Type(), 1.5), mlir.AttrFloat, "1.500000e+00 : f32"},
			{c.FloatAttribute(check.Must(c.FloatType(mlir.BF16)), 1), mlir.AttrFloat, "1.000000e+00 : bf16"},
			{c.StringAttribute("a\x00b"), mlir.AttrString, `"a\00b"`},
			{c.TypedStringAttribute("s", i8), mlir.AttrString, `"s" : i8`},
			{c.TypeAttribute(i8), mlir.AttrType, "i8"},
			{c.ArrayAttribute(c.UnitAttribute()), mlir.AttrArray, "[unit]"},
			{c.DictionaryAttribute(mlir.NamedAttribute{Name: "a", Value: c.UnitAttribute()}), mlir.AttrDictionary,
				"{a}"},
			{c.SymbolAttribute("a"), mlir.AttrSymbol, "@a"},
			{c.NestedSymbolAttribute("a", "b", "c d"), mlir.AttrNestedSymbol, `@a::@b::@"c d"`},
			{c.NestedSymbolAttribute("a"), mlir.AttrSymbol, "@a"},
			{check.Must(mlir.NewDense(vector, []int64{1, 2})), mlir.AttrDenseElements, "dense<[1, 2]> : tensor<2xi64>"},
			{check.Must(c.SparseAttribute(check.Must(c.TensorType(i64, 3)), at, seven)), mlir.AttrSparseElements,
				"sparse<1, 7> : tensor<3xi64>"},
			{mlir.NewDenseArray(c, true, false), mlir.AttrDenseArray, "array<i1: true, false>"},
			{mlir.NewDenseArray[int8](c), mlir.AttrDenseArray, "array<i8>"},
			{mlir.NewDenseArray[int16](c, -1), mlir.AttrDenseArray, "array<i16: -1>"},
			{mlir.NewDenseArray[int32](c, 1, 2), mlir.AttrDenseArray, "array<i32: 1, 2>"},
			{mlir.NewDenseArray[int64](c, math.MaxInt64), mlir.AttrDenseArray, "array<i64: 9223372036854775807>"},
			{mlir.NewDenseArray[float32](c, 0.5), mlir.AttrDenseArray, "array<f32: 5.000000e-01>"},
			{mlir.NewDenseArray(c, 0.25), mlir.AttrDenseArray, "array<f64: 2.500000e-01>"},
			{affine.Identity(c, 2).Attribute(), mlir.AttrAffineMap, "affine_map<(d0, d1) -> (d0, d1)>"},
			{affine.EmptySet(c, 1, 0).Attribute(), mlir.AttrIntegerSet, "affine_set<(d0) : (1 == 0)>"},
			{c.StridedLayoutAttribute(2, 4, mlir.Dynamic), mlir.AttrStridedLayout, "strided<[4, ?], offset: 2>"},
			{c.StridedLayoutAttribute(0), mlir.AttrStridedLayout, "strided<[]>"},
			{c.LocationAttribute(c.FileLocation("f.py", 1, 2)), mlir.AttrLocation, `loc("f.py":1:2)`},
		} {
			if got := test.attribute.String(); got != test.want {
				t.Errorf("attribute prints as %s, want %s", got, test.want)
			}
			if parsed, err := c.ParseAttribute(test.want); err != nil || !parsed.Equal(test.attribute) {
				t.Errorf("%s parses as %v, %v", test.want, parsed, err)
			}
			if got := test.attribute.Kind(); got != test.kind {
				t.Errorf("the kind of %s is %s, want %s", test.want, got, test.kind)
			}
			if got := test.attribute.Dialect(); got != "builtin" {
				t.Errorf("%s is an attribute of the dialect %q", test.want, got)
			}
		}
	})
}

// TestAttributeValues reads each kind of attribute, and checks that all other readers
// report false.
func TestAttributeValues(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		readers := map[string]func(mlir.Attribute) (any, bool){
			"Bool":       func(a mlir.Attribute) (any, bool) { return a.Bool() },
			"Int":        func(a mlir.Attribute) (any, bool) { return a.Int() },
			"Uint":       func(a mlir.Attribute) (any, bool) { return a.Uint() },
			"BigInt":     func(a mlir.Attribute) (any, bool) { v, ok := a.BigInt(); return v.String(), ok },
			"Float":      func(a mlir.Attribute) (any, bool) { return a.Float() },
			"Text":       func(a mlir.Attribute) (any, bool) { return a.Text() },
			"Symbol":     func(a mlir.Attribute) (any, bool) { return a.Symbol() },
			"SymbolPath": func(a mlir.Attribute) (any, bool) { return a.SymbolPath() },
			"TypeValue":  func(a mlir.Attribute) (any, bool) { v, ok := a.TypeValue(); return v.String(), ok },
			"Elements":   func(a mlir.Attribute) (any, bool) { v, ok := a.Elements(); return len(v), ok },
			"Entry":      func(a mlir.Attribute) (any, bool) { v, ok := a.Entry("k"); return v.String(), ok },
			"bools":      func(a mlir.Attribute) (any, bool) { return mlir.DenseArrayOf[bool](a) },
			"int8s":      func(a mlir.Attribute) (any, bool) { return mlir.DenseArrayOf[int8](a) },
			"int16s":     func(a mlir.Attribute) (any, bool) { return mlir.DenseArrayOf[int16](a) },
			"int32s":     func(a mlir.Attribute) (any, bool) { return mlir.DenseArrayOf[int32](a) },
			"Int64s":     func(a mlir.Attribute) (any, bool) { return a.Int64s() },
			"float32s":   func(a mlir.Attribute) (any, bool) { return mlir.DenseArrayOf[float32](a) },
			"float64s":   func(a mlir.Attribute) (any, bool) { return mlir.DenseArrayOf[float64](a) },
			"AffineMap":  func(a mlir.Attribute) (any, bool) { v, ok := affine.MapOf(a); return v.String(), ok },
			"IntegerSet": func(a mlir.Attribute) (any, bool) { v, ok := affine.SetOf(a); return v.String(), ok },
			"Location":   func(a mlir.Attribute) (any, bool) { v, ok := a.LocationValue(); return v.String(), ok },
			"Strided":    func(a mlir.Attribute) (any, bool) { o, s, ok := a.StridedLayout(); return []any{o, s}, ok },
			"Sparse": func(a mlir.Attribute) (any, bool) {
				i, v, ok := a.SparseParts()
				return i.String() + v.String(), ok
			},
			"DenseBytes": func(a mlir.Attribute) (any, bool) { v, err := a.DenseBytes(); return v, err == nil },
			"Indices":    func(a mlir.Attribute) (any, bool) { v := a.Indices(); return v, v != nil },
			"Resource":   func(a mlir.Attribute) (any, bool) { return a.ResourceName() },
		}
		for text, want := range map[string]map[string]any{
			"unit":                          {},
			"true":                          {"Bool": true, "Int": int64(-1), "Uint": uint64(1), "BigInt": "-1"},
			"-3 : i8":                       {"Int": int64(-3), "Uint": uint64(253), "BigInt": "-3"},
			"-3 : si8":                      {"Int": int64(-3), "Uint": uint64(253), "BigInt": "-3"},
			"200 : ui8":                     {"Int": int64(200), "Uint": uint64(200), "BigInt": "200"},
			"-3 : index":                    {"Int": int64(-3), "Uint": uint64(math.MaxUint64 - 2), "BigInt": "-3"},
			"1180591620717411303424 : i96":  {"BigInt": "1180591620717411303424"},
			"2.5 : f16":                     {"Float": 2.5},
			"0x7FF0000000000000 : f64":      {"Float": math.Inf(1)},
			`"text"`:                        {"Text": "text"},
			"@a":                            {"Symbol": "a", "SymbolPath": []string{"a"}},
			"@a::@b":                        {"SymbolPath": []string{"a", "b"}},
			"tensor<2xi8>":                  {"TypeValue": "tensor<2xi8>"},
			"[1, 2]":                        {"Elements": 2},
			"{j = 1 : i8, k = 2 : i8}":      {"Entry": "2 : i8"},
			"{j = 1 : i8}":                  {},
			"array<i1: true, false>":        {"bools": []bool{true, false}},
			"array<i8: -1>":                 {"int8s": []int8{-1}},
			"array<i16: -1>":                {"int16s": []int16{-1}},
			"array<i32: 5>":                 {"int32s": []int32{5}},
			"array<i64: 5>":                 {"Int64s": []int64{5}},
			"array<f32: 0.5>":               {"float32s": []float32{0.5}},
			"array<f64: 0.5>":               {"float64s": []float64{0.5}},
			"affine_map<(d0) -> (d0)>":      {"AffineMap": "(d0) -> (d0)"},
			"affine_set<(d0) : (d0 >= 0)>":  {"IntegerSet": "(d0) : (d0 >= 0)"},
			`loc("f":1:2)`:                  {"Location": `loc("f":1:2)`},
			"strided<[4, 1], offset: ?>":    {"Strided": []any{int64(mlir.Dynamic), []int64{4, 1}}},
			"sparse<1, 7> : tensor<3xi8>":   {"Sparse": "dense<1> : tensor<1x1xi64>dense<7> : tensor<1xi8>"},
			"dense<[1, 2]> : tensor<2xi16>": {"DenseBytes": []byte{1, 0, 2, 0}},
			"dense<[1, 2]> : tensor<2xindex>": {"DenseBytes": []byte{1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0},
				"Indices": []int64{1, 2}},
			"dense<0> : tensor<2xi8>":          {"DenseBytes": []byte{0, 0}},
			"dense_resource<r> : tensor<2xi8>": {"Resource": "r"},
		} {
			a := check.Must(c.ParseAttribute(text))
			got := map[string]any{}
			for name, read := range readers {
				if v, ok := read(a); ok {
					got[name] = v
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s reads as (-want +got):\n%s", text, diff)
			}
		}
		if nan, ok := check.Must(c.ParseAttribute("0x7FC00000 : f32")).Float(); !math.IsNaN(nan) || !ok {
			t.Errorf("NaN reads as %v, %v", nan, ok)
		}
		typed, ok := check.Must(c.ParseAttribute("1 : i8")).Type()
		if typed.String() != "i8" || !ok {
			t.Errorf("the type of 1 : i8 is %s, %v", typed, ok)
		}
		if typed, ok := c.ArrayAttribute().Type(); ok {
			t.Errorf("an array has the type %s", typed)
		}
	})
}

func TestDistinct(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		a, err := c.DistinctAttribute(c.UnitAttribute())
		if !e.Library.Has("mlirDisctinctAttrCreate") && !e.Library.Has("mlirDistinctAttrCreate") {
			if !errors.Is(err, mlir.ErrUnsupported) {
				t.Errorf("error is %v, want ErrUnsupported", err)
			}
			return
		}
		b, err2 := c.DistinctAttribute(c.UnitAttribute())
		if err != nil || err2 != nil || a.Equal(b) {
			t.Errorf("%s and %s are one, or %v, %v", a, b, err, err2)
		}
	})
}

// TestFloatAttribute creates the extreme values of each format.
func TestFloatAttribute(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		for _, k := range mlir.FloatKinds() {
			if k == mlir.F8E5M3FNU && !e.Library.Has("mlirFloat8E5M3FNUTypeGet") {
				continue // TestFloatTypes has the error
			}
			typ := check.Must(c.FloatType(k))
			for _, v := range []float64{1, 2, 0, -1, math.Copysign(0, -1), 1e300, -1e300, 5e-324, math.NaN(),
				math.Inf(1), math.Inf(-1)} {
				got, ok := math.NaN(), false
				refused := panics(func() { got, ok = c.FloatAttribute(typ, v).Float() })
				wantRefused := false
				switch k {
				case mlir.F4E2M1FN, mlir.F6E2M3FN, mlir.F6E3M2FN:
					wantRefused = math.IsNaN(v) || math.IsInf(v, 0)
				case mlir.F8E8M0FNU:
					wantRefused = !(v > 0) || math.IsInf(v, 0)
				case mlir.F8E5M3FNU:
					wantRefused = math.IsNaN(v) || math.IsInf(v, 0) || math.Signbit(v)
				}
				switch {
				case refused != wantRefused:
					t.Errorf("%v as %s: refused is %v, want %v", v, k, refused, wantRefused)
				case !refused && (!ok || (v == 1 || v == 2) && got != v || math.IsNaN(v) && !math.IsNaN(got)):
					t.Errorf("%v as %s is %v, %v", v, k, got, ok)
				}
			}
		}
	})
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

// TestAttributeMisuse checks that wrong kinds, values, counts and contexts panic with a
// message.
func TestAttributeMisuse(t *testing.T) {
	c, other := mlirtest.Context(t), mlirtest.Context(t)
	i8 := c.IntegerType(8, mlir.Signless)
	check.Panics(t, "256 does not fit in i8", func() { c.IntegerAttribute(i8, 256) })
	check.Panics(t, "-129 does not fit in i8", func() { c.IntegerAttribute(i8, -129) })
	check.Panics(t, "128 does not fit in si8", func() { c.IntegerAttribute(c.IntegerType(8, mlir.Signed), 128) })
	check.Panics(t, "-1 does not fit in ui64", func() { c.IntegerAttribute(c.IntegerType(64, mlir.Unsigned), -1) })
	check.Panics(t, "1 does not fit in i0", func() { c.IntegerAttribute(c.IntegerType(0, mlir.Signless), 1) })
	check.Panics(t, "not a floating-point type", func() { c.FloatAttribute(i8, 1) })
	check.Panics(t, "f4E2M1FN cannot represent NaN",
		func() { c.FloatAttribute(check.Must(c.FloatType(mlir.F4E2M1FN)), math.NaN()) })
	check.Panics(t, "a type of another context", func() { other.TypeAttribute(i8) })
	check.Panics(t, "an attribute of another context", func() { other.ArrayAttribute(c.UnitAttribute()) })
	check.Panics(t, "Attribute.Int called on a zero value", func() { mlir.Attribute{}.Int() })
	check.Panics(t, "Attribute.Kind called on the nil attribute", func() {
		missing, _ := c.DictionaryAttribute().Entry("x")
		missing.Kind()
	})
	check.Panics(t, "Type.Kind called on a zero value", func() {
		missing, _ := c.ArrayAttribute().Type()
		missing.Kind()
	})
	check.Panics(t, "Context.ArrayAttribute was given an attribute that is nil", func() {
		missing, _ := c.DictionaryAttribute().Entry("x")
		c.ArrayAttribute(missing)
	})
	if _, err := c.BigIntegerAttribute(i8, big.NewInt(1000)); err == nil ||
		!strings.Contains(err.Error(), "out of range") {
		t.Errorf("1000 as i8: %v", err)
	}
	if _, err := c.BigIntegerAttribute(c.F32Type(), big.NewInt(1)); err == nil {
		t.Error("1 as an integer of type f32 gave no error")
	}
	for _, namespace := range []string{"", "a.b", "1a", "nosuch"} {
		if a, err := c.OpaqueAttribute(namespace, "x", mlir.Type{}); err == nil {
			t.Errorf("the dialect %q has the opaque attribute %s", namespace, a)
		}
	}
	dictionary, array := c.DictionaryAttribute(), mlir.NewDenseArray(c, 1.5)
	c.Close()
	check.Panics(t, "Attribute.Entry called after Context.Close", func() { dictionary.Entry("x") })
	check.Panics(t, "DenseArrayOf called after Context.Close", func() { mlir.DenseArrayOf[float64](array) })
	check.Panics(t, "NewDenseArray called after Context.Close", func() { mlir.NewDenseArray(c, 1.5) })
}
