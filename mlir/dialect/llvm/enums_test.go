package llvm_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
)

func TestEnumerations(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		enumeration(t, c, llvm.LinkageExternal, llvm.LinkageCommon, "#llvm.linkage<", llvm.AsLinkage)
		enumeration(t, c, llvm.CConvC, llvm.CConvM68kINTR, "#llvm.cconv<", llvm.AsCConv)
		enumeration(t, c, llvm.ComdatAny, llvm.ComdatSameSize, "#llvm<comdat ", llvm.ReadComdat)
	})
}

// enumeration makes the attributes of the cases from first to last, and reads them.
func enumeration[T interface {
	~int
	String() string
	Attribute(*mlir.Context) (mlir.Attribute, error)
}](t *testing.T, c *mlir.Context, first, last T, before string, read func(mlir.Attribute) (T, bool)) {
	t.Helper()
	for v := first; v <= last; v++ {
		a := check.Must(v.Attribute(c))
		check.Diff(t, "the text", before+v.String()+">", a.String())
		if got, ok := read(a); !ok || got != v {
			t.Errorf("%s is read as %v, %t", a, got, ok)
		}
	}
	for _, bad := range []T{0, last + 1} {
		_, err := bad.Attribute(c)
		check.Error(t, err, "use one of", first.String(), last.String())
	}
	if v, ok := read(c.UnitAttribute()); ok {
		t.Errorf("unit is read as %v", v)
	}
}
