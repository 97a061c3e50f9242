package llvm_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
)

func TestMetadata(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		text, err := llvm.MDString{"some \"text\""}.Attribute(c)
		if !e.Library.Has("mlirLLVMMDNodeAttrGet") {
			mlirtest.Unsupported(t, err)
			if _, ok := llvm.ReadMetadata(c.UnitAttribute()); ok {
				t.Error("a unit is metadata")
			}
			return
		}
		check.NoError(t, err)
		number := check.Must(llvm.MDConstant{c.IntegerAttribute(c.IntegerType(32, mlir.Signless), 3)}.Attribute(c))
		global := check.Must(llvm.MDGlobal{"g"}.Attribute(c))
		inner := check.Must(llvm.MDNode{}.Attribute(c))
		node := check.Must(llvm.MDNode{[]mlir.Attribute{text, number, global, inner}}.Attribute(c))
		for _, a := range []mlir.Attribute{text, number, global, inner, node} {
			read, ok := llvm.ReadMetadata(a)
			if !ok {
				t.Fatalf("%v is not metadata", a)
			}
			again := check.Must(read.(interface {
				Attribute(*mlir.Context) (mlir.Attribute, error)
			}).Attribute(c))
			if again != a || check.Must(c.ParseAttribute(a.String())) != a {
				t.Errorf("%v became %v", a, again)
			}
		}
		if _, ok := llvm.ReadMetadata(c.UnitAttribute()); ok {
			t.Error("a unit is metadata")
		}
		_, err = llvm.MDConstant{}.Attribute(c)
		check.Error(t, err, "MDConstant.Value is missing")
		_, err = llvm.MDConstant{c.UnitAttribute()}.Attribute(c)
		check.Error(t, err, "MDConstant.Value cannot be unit")
		_, err = llvm.MDNode{[]mlir.Attribute{text, c.UnitAttribute()}}.Attribute(c)
		check.Error(t, err, "MDNode.Operands cannot have unit")
		_, err = llvm.MDNode{[]mlir.Attribute{{}}}.Attribute(c)
		check.Error(t, err, "MDNode.Operands is missing")
	})
}
