// Package complex is the attribute of MLIR's complex dialect: a complex number. A
// library that lacks its C API refuses it with an error that matches
// mlir.ErrUnsupported.
package complex

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/internal/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// Number is #complex.number<:t v>, where t is the type of its two parts, as f32.
func Number(t mlir.Type, v complex128) (mlir.Attribute, error) {
	c, h := raw.UnwrapType(t, "complex.Number")
	api, err := raw.Load(c, "complex", "mlirComplexAttrDoubleGetChecked")
	if err != nil {
		return mlir.Attribute{}, err
	}
	if !capi.MlirTypeIsAFloat(api, h) {
		return mlir.Attribute{}, fmt.Errorf("complex: the parts of a number are of a float type, not %s", t)
	}
	whole := capi.MlirComplexTypeGet(api, h)
	a := capi.MlirComplexAttrDoubleGetChecked(api, capi.MlirLocationUnknownGet(api, raw.Context(c)), whole, real(v), imag(v))
	if a.Ptr == nil {
		return mlir.Attribute{}, raw.Failure(c, "making a complex number")
	}
	return raw.WrapAttribute(c, a), nil
}

// IsNumber reports whether a is #complex.number<…>.
func IsNumber(a mlir.Attribute) bool { return raw.IsAttribute(a, "#complex.number") }

// ReadNumber reads a complex number; parts of other formats are converted.
func ReadNumber(a mlir.Attribute) (complex128, error) {
	c, h := raw.UnwrapAttribute(a, "complex.ReadNumber")
	if !IsNumber(a) {
		return 0, fmt.Errorf("complex: %s is no complex number", a)
	}
	if err := raw.Need(c.Library(), "mlirComplexAttrGetRealDouble", "mlirComplexAttrGetImagDouble"); err != nil {
		return 0, err
	}
	t := raw.Table(c)
	return complex(capi.MlirComplexAttrGetRealDouble(t, h), capi.MlirComplexAttrGetImagDouble(t, h)), nil
}
