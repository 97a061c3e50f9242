package emitc_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/emitc"
)

func TestTypes(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		i32 := mlirtest.Type(c, "i32")
		kinds := []func(mlir.Type) bool{emitc.IsArray, emitc.IsLValue, emitc.IsOpaque, emitc.IsPointer, emitc.IsPtrDiff,
			emitc.IsSignedSize, emitc.IsSize}
		for kind, test := range []struct {
			function, want string
			make           func() (mlir.Type, error)
		}{
			{"mlirEmitCArrayTypeGet", "!emitc.array<2x3xi32>",
				func() (mlir.Type, error) { return emitc.ArrayType(i32, 2, 3) }},
			{"mlirEmitCLValueTypeGet", "!emitc.lvalue<i32>",
				func() (mlir.Type, error) { return emitc.LValueType(i32) }},
			{"mlirEmitCOpaqueTypeGet", `!emitc.opaque<"std::string">`,
				func() (mlir.Type, error) { return emitc.OpaqueType(c, "std::string") }},
			{"mlirEmitCPointerTypeGet", "!emitc.ptr<i32>", func() (mlir.Type, error) { return emitc.PointerType(i32) }},
			{"mlirEmitCPtrDiffTTypeGet", "!emitc.ptrdiff_t", func() (mlir.Type, error) { return emitc.PtrDiffType(c) }},
			{"mlirEmitCSignedSizeTTypeGet", "!emitc.ssize_t",
				func() (mlir.Type, error) { return emitc.SignedSizeType(c) }},
			{"mlirEmitCSizeTTypeGet", "!emitc.size_t", func() (mlir.Type, error) { return emitc.SizeType(c) }},
		} {
			got, err := test.make()
			if !mlirtest.Supported(t, c.Library(), err, test.function) {
				continue
			}
			check.Diff(t, "the type", test.want, got.String())
			for i, is := range kinds {
				check.Diff(t, test.want, i == kind, is(got))
			}
		}
		if !c.Library().Has("mlirEmitCArrayTypeGet") {
			return
		}
		for want, make := range map[string]func() (mlir.Type, error){
			"must have at least one dimension": func() (mlir.Type, error) { return emitc.ArrayType(i32) },
			"dimensions [2 -1]":                func() (mlir.Type, error) { return emitc.ArrayType(i32, 2, -1) },
			"array": func() (mlir.Type, error) {
				return emitc.ArrayType(mlirtest.Type(c, "!emitc.array<2xi32>"), 2)
			},
			"lvalue": func() (mlir.Type, error) {
				return emitc.LValueType(mlirtest.Type(c, "!emitc.lvalue<i32>"))
			},
			"pointer": func() (mlir.Type, error) {
				return emitc.PointerType(mlirtest.Type(c, "!emitc.lvalue<i32>"))
			},
			"expected non empty string": func() (mlir.Type, error) { return emitc.OpaqueType(c, "") },
		} {
			_, err := make()
			check.Error(t, err, want)
		}
		check.Panics(t, "called on a zero value", func() { emitc.PointerType(mlir.Type{}) })
	})
}

func TestAttributes(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		for _, text := range []string{"NULL", `"a" "b"`} {
			a, err := emitc.Opaque(c, text)
			if mlirtest.Supported(t, c.Library(), err, "mlirEmitCOpaqueAttrGet") {
				check.Diff(t, "the text", text, check.Must(emitc.OpaqueText(a)))
			}
		}
		for p := emitc.CmpPredicateEq; p <= emitc.CmpPredicateThreeWay; p++ {
			a := check.Must(p.Attribute(c))
			if got, ok := emitc.AsCmpPredicate(a); !ok || got != p {
				t.Errorf("%s is read as %v, %t", a, got, ok)
			}
		}
		_, err := emitc.OpaqueText(c.UnitAttribute())
		check.Error(t, err, "unit is not an opaque attribute")
		if p, ok := emitc.AsCmpPredicate(c.UnitAttribute()); ok {
			t.Errorf("unit is read as %v", p)
		}
		_, err = emitc.CmpPredicate(8).Attribute(c)
		check.Error(t, err, "8 is no CmpPredicate")
	})
}
