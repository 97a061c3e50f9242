// Package complex builds and reads the operations of MLIR's dialect complex: arithmetic on complex numbers. Number
// makes its attribute, a complex constant. If the library lacks what a function needs, the error matches
// mlir.ErrUnsupported.
package complex

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// Number returns #complex.number<:t v>, where t is the type of its two parts, such as
// f32.
func Number(t mlir.Type, v complex128) (mlir.Attribute, error) {
	c, h := raw.UnwrapType(t, "complex.Number")
	api, err := raw.Load(c, "complex", "mlirComplexAttrDoubleGetChecked")
	if err != nil {
		return mlir.Attribute{}, err
	}
	if !capi.MlirTypeIsAFloat(api, h) {
		return mlir.Attribute{}, fmt.Errorf("complex: the parts of a number must have a float type, not %s", t)
	}
	whole := capi.MlirComplexTypeGet(api, h)
	a := capi.MlirComplexAttrDoubleGetChecked(api, capi.MlirLocationUnknownGet(api, raw.Context(c)), whole, real(v),
		imag(v))
	if a.Ptr == nil {
		return mlir.Attribute{}, raw.Failure(c, "making a complex number")
	}
	return raw.WrapAttribute(c, a), nil
}

// IsNumber reports whether a is #complex.number<…>.
func IsNumber(a mlir.Attribute) bool { return raw.IsAttribute(a, "#complex.number") }

// ReadNumber returns a as a complex number. It converts parts of other formats to float64.
// It returns an error if a is another attribute.
func ReadNumber(a mlir.Attribute) (complex128, error) {
	c, h := raw.UnwrapAttribute(a, "complex.ReadNumber")
	if !IsNumber(a) {
		return 0, fmt.Errorf("complex: %s is not a complex number", a)
	}
	if err := raw.Need(c.Library(), "mlirComplexAttrGetRealDouble", "mlirComplexAttrGetImagDouble"); err != nil {
		return 0, err
	}
	t := raw.Table(c)
	return complex(capi.MlirComplexAttrGetRealDouble(t, h), capi.MlirComplexAttrGetImagDouble(t, h)), nil
}
