package complex_test

import (
	"math"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/complex"
)

func TestNumber(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		const make, read = "mlirComplexAttrDoubleGetChecked", "mlirComplexAttrGetRealDouble"
		for _, text := range []string{"f32", "f64", "bf16", "f16"} {
			a, err := complex.Number(mlirtest.Type(c, text), 1.5-2i)
			if !mlirtest.Supported(t, c.Library(), err, make) {
				continue
			}
			check.Diff(t, "the attribute", "#complex.number<:"+text+" 1.500000e+00, -2.000000e+00> : complex<"+text+">",
				a.String())
			v, err := complex.ReadNumber(a)
			if mlirtest.Supported(t, c.Library(), err, read) {
				check.Diff(t, "the number", 1.5-2i, v)
			}
		}
		if c.Library().Has(make) {
			huge := check.Must(complex.Number(mlirtest.Type(c, "f64"), 1e300+0i))
			check.Diff(t, "a large number", 1e300+0i, check.Must(complex.ReadNumber(huge)))
			infinite := check.Must(complex.Number(mlirtest.Type(c, "f16"), 1e300+0i))
			check.Diff(t, "too large for f16", true, math.IsInf(real(check.Must(complex.ReadNumber(infinite))), 1))
			_, err := complex.Number(mlirtest.Type(c, "i32"), 0)
			check.Error(t, err, "not i32")
		}
		_, err := complex.ReadNumber(c.UnitAttribute())
		check.Error(t, err, "unit is not a complex number")
		check.Panics(t, "called on a zero value", func() { complex.Number(mlir.Type{}, 0) })
	})
}
