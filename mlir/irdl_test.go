package mlir_test

import (
	"errors"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// cmath is a small dialect with a type and an operation.
const cmath = `irdl.dialect @cmath {
  irdl.type @complex {
    %0 = irdl.is f32
    %1 = irdl.is f64
    %2 = irdl.any_of(%0, %1)
    irdl.parameters(elem: %2)
  }
  irdl.operation @norm {
    %0 = irdl.any
    %1 = irdl.parametric @cmath::@complex<%0>
    irdl.operands(in: %1)
    irdl.results(out: %0)
  }
}`

func TestIRDL(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		if !e.Library.Has("mlirLoadIRDLDialects") || c.LoadDialect("irdl") != nil {
			err := c.LoadIRDL(mlirtest.Parse(t, c, "module {}"))
			if err == nil || e.Library.Has("mlirLoadIRDLDialects") == errors.Is(err, mlir.ErrUnsupported) {
				t.Errorf("the error of a library without IRDL is %v", err)
			}
			return
		}
		if c.Registered("cmath.norm") {
			t.Fatal("the dialect exists before it is loaded")
		}
		m := mlirtest.Parse(t, c, cmath)
		check.NoError(t, c.LoadIRDL(m))
		check.Error(t, c.LoadIRDL(m), `"cmath" already exists`)
		m.Close()
		if !c.Registered("cmath.norm") {
			t.Error("the operation is not known")
		}
		used := mlirtest.Parse(t, c, `func.func @f(%x: !cmath.complex<f32>) -> f32 {
  %0 = "cmath.norm"(%x) : (!cmath.complex<f32>) -> f32
  return %0 : f32
}`)
		check.Report(t, used.Verify())
		for _, o := range mlirtest.Find(used, "cmath.norm") {
			if _, has := o.Inherent("of"); has || o.HasInherent("of") {
				t.Error("an operation of IRDL has an inherent attribute")
			}
			o.SetDiscardable("of", c.UnitAttribute())
			o.SetAttribute("at", c.UnitAttribute())
			if a, ok := o.Attribute("of"); !ok || a != c.UnitAttribute() || !o.RemoveAttribute("of") ||
				!o.RemoveDiscardable("at") {
				t.Error("an attribute of an operation of IRDL is lost")
			}
		}
		var d *mlir.DiagnosticError
		for _, bad := range []string{
			`func.func private @f(!cmath.complex<i32>)`,
			`func.func @f(%x: !cmath.complex<f32>) { %0 = "cmath.norm"(%x) : (!cmath.complex<f32>) -> f64  return }`,
		} {
			if _, err := c.Parse("", []byte(bad)); !errors.As(err, &d) {
				t.Errorf("%s gave %v", bad, err)
			}
		}
		for _, bad := range []string{"module {}", "irdl.dialect @arith {}", "irdl.dialect @builtin {}"} {
			if err := c.LoadIRDL(mlirtest.Parse(t, c, bad)); err == nil {
				t.Errorf("%s was loaded", bad)
			}
		}
	})
}
