package irdl_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/irdl"
)

func TestVariadicity(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		for _, v := range []irdl.Variadicity{irdl.Single, irdl.Optional, irdl.Variadic} {
			a, err := v.Attribute(c)
			if mlirtest.Supported(t, c.Library(), err, "mlirIRDLVariadicityAttrGet") {
				check.Diff(t, "the attribute", "#irdl<variadicity "+string(v)+">", a.String())
				check.Diff(t, "the value", v, check.Must(irdl.ReadVariadicity(a)))
			}
		}
		for want, list := range map[string][]irdl.Variadicity{
			"#irdl<variadicity_array[]>":                 nil,
			"#irdl<variadicity_array[single, variadic]>": {irdl.Single, irdl.Variadic},
		} {
			a, err := irdl.VariadicityArray(c, list...)
			if mlirtest.Supported(t, c.Library(), err, "mlirIRDLVariadicityArrayAttrGet") {
				check.Diff(t, "the array", mlirtest.Attribute(c, want).String(), a.String())
			}
		}
		if c.Library().Has("mlirIRDLVariadicityAttrGet") {
			_, err := irdl.VariadicityArray(c, "several")
			check.Error(t, err, `"several" is not a variadicity`)
		}
		_, err := irdl.ReadVariadicity(c.UnitAttribute())
		check.Error(t, err, "unit is not a variadicity")
	})
}
