package quant

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// isKind calls the C predicate of one of the types. The printed name is not enough,
// because two types share it.
func isKind(t mlir.Type, function string, is func(*capi.Table, capi.MlirType) bool) bool {
	if t.IsNil() {
		return false
	}
	c, h := raw.UnwrapType(t, "quant.Is")
	return c.Library().Has(function) && is(raw.Table(c), h)
}

// Is reports whether t is a type of the dialect. If the library lacks the dialect's C API,
// Is and the other Is functions return false.
func Is(t mlir.Type) bool {
	return isKind(t, "mlirTypeIsAQuantizedType", capi.MlirTypeIsAQuantizedType)
}

// IsAny reports whether t is !quant.any<…>.
func IsAny(t mlir.Type) bool {
	return isKind(t, "mlirTypeIsAAnyQuantizedType", capi.MlirTypeIsAAnyQuantizedType)
}

// IsUniform reports whether t is !quant.uniform<…> with one scale.
func IsUniform(t mlir.Type) bool {
	return isKind(t, "mlirTypeIsAUniformQuantizedType", capi.MlirTypeIsAUniformQuantizedType)
}

// IsPerAxis reports whether t is !quant.uniform<…> with scales along one dimension.
func IsPerAxis(t mlir.Type) bool {
	return isKind(t, "mlirTypeIsAUniformQuantizedPerAxisType", capi.MlirTypeIsAUniformQuantizedPerAxisType)
}

// IsSubChannel reports whether t is !quant.uniform<…> with scales for blocks.
func IsSubChannel(t mlir.Type) bool {
	return isKind(t, "mlirTypeIsAUniformQuantizedSubChannelType", capi.MlirTypeIsAUniformQuantizedSubChannelType)
}

// IsCalibrated reports whether t is !quant.calibrated<…>.
func IsCalibrated(t mlir.Type) bool {
	return isKind(t, "mlirTypeIsACalibratedQuantizedType", capi.MlirTypeIsACalibratedQuantizedType)
}

// open returns the handles of a type. It returns an error if the type is not of the kind.
func open(
	t mlir.Type, method, predicate, what string, is func(mlir.Type) bool,
) (*mlir.Context, *capi.Table, capi.MlirType, error) {
	c, h := raw.UnwrapType(t, method)
	if err := raw.Need(c.Library(), predicate); err != nil {
		return nil, nil, h, err
	}
	if !is(t) {
		return nil, nil, h, fmt.Errorf("quant: %s is not %s", t, what)
	}
	return c, raw.Table(c), h, nil
}

// common reads the parts that all types except the calibrated one have.
func common(c *mlir.Context, api *capi.Table, h capi.MlirType) (Storage, mlir.Type) {
	s := Storage{
		Integer:  raw.WrapType(c, capi.MlirQuantizedTypeGetStorageType(api, h)),
		Unsigned: !capi.MlirQuantizedTypeIsSigned(api, h),
		Min:      capi.MlirQuantizedTypeGetStorageTypeMin(api, h),
		Max:      capi.MlirQuantizedTypeGetStorageTypeMax(api, h),
	}
	expressed := capi.MlirQuantizedTypeGetExpressedType(api, h)
	if expressed.Ptr == nil {
		return s, mlir.Type{}
	}
	return s, raw.WrapType(c, expressed)
}

// ReadAny returns t as an Any. It returns an error if t is another type.
func ReadAny(t mlir.Type) (Any, error) {
	c, api, h, err := open(t, "quant.ReadAny", "mlirTypeIsAAnyQuantizedType", "!quant.any", IsAny)
	if err != nil {
		return Any{}, err
	}
	s, e := common(c, api, h)
	return Any{Storage: s, Expressed: e}, nil
}

// ReadUniform returns t as a Uniform. It returns an error if t is another type.
func ReadUniform(t mlir.Type) (Uniform, error) {
	c, api, h, err := open(t, "quant.ReadUniform", "mlirTypeIsAUniformQuantizedType", "!quant.uniform with one scale",
		IsUniform)
	if err != nil {
		return Uniform{}, err
	}
	s, e := common(c, api, h)
	return Uniform{
		Storage: s, Expressed: e,
		Scale:     capi.MlirUniformQuantizedTypeGetScale(api, h),
		ZeroPoint: capi.MlirUniformQuantizedTypeGetZeroPoint(api, h),
	}, nil
}

// ReadPerAxis returns t as a PerAxis. It returns an error if t is another type.
func ReadPerAxis(t mlir.Type) (PerAxis, error) {
	c, api, h, err := open(t, "quant.ReadPerAxis", "mlirTypeIsAUniformQuantizedPerAxisType",
		"!quant.uniform with an axis", IsPerAxis)
	if err != nil {
		return PerAxis{}, err
	}
	s, e := common(c, api, h)
	q := PerAxis{Storage: s, Expressed: e, Axis: int(capi.MlirUniformQuantizedPerAxisTypeGetQuantizedDimension(api, h))}
	for i := range capi.MlirUniformQuantizedPerAxisTypeGetNumDims(api, h) {
		q.Scales = append(q.Scales, capi.MlirUniformQuantizedPerAxisTypeGetScale(api, h, i))
		q.ZeroPoints = append(q.ZeroPoints, capi.MlirUniformQuantizedPerAxisTypeGetZeroPoint(api, h, i))
	}
	return q, nil
}

// ReadSubChannel returns t as a SubChannel. It returns an error if t is another type.
func ReadSubChannel(t mlir.Type) (SubChannel, error) {
	c, api, h, err := open(t, "quant.ReadSubChannel", "mlirTypeIsAUniformQuantizedSubChannelType",
		"!quant.uniform with blocks", IsSubChannel)
	if err != nil {
		return SubChannel{}, err
	}
	s, e := common(c, api, h)
	q := SubChannel{
		Storage: s, Expressed: e,
		Scales:     raw.WrapAttribute(c, capi.MlirUniformQuantizedSubChannelTypeGetScales(api, h)),
		ZeroPoints: raw.WrapAttribute(c, capi.MlirUniformQuantizedSubChannelTypeGetZeroPoints(api, h)),
	}
	for i := range capi.MlirUniformQuantizedSubChannelTypeGetNumBlockSizes(api, h) {
		q.Blocks = append(q.Blocks, Block{
			Axis: capi.MlirUniformQuantizedSubChannelTypeGetQuantizedDimension(api, h, i),
			Size: capi.MlirUniformQuantizedSubChannelTypeGetBlockSize(api, h, i),
		})
	}
	return q, nil
}

// ReadCalibrated returns t as a Calibrated. It returns an error if t is another type.
func ReadCalibrated(t mlir.Type) (Calibrated, error) {
	c, api, h,
		err := open(t, "quant.ReadCalibrated", "mlirTypeIsACalibratedQuantizedType", "!quant.calibrated", IsCalibrated)
	if err != nil {
		return Calibrated{}, err
	}
	return Calibrated{
		Expressed: raw.WrapType(c, capi.MlirQuantizedTypeGetExpressedType(api, h)),
		Min:       capi.MlirCalibratedQuantizedTypeGetMin(api, h),
		Max:       capi.MlirCalibratedQuantizedTypeGetMax(api, h),
	}, nil
}

// IsFixedPoint reports whether t is a Uniform or PerAxis type whose zero points are all
// zero.
func IsFixedPoint(t mlir.Type) bool {
	switch {
	case IsUniform(t):
		c, h := raw.UnwrapType(t, "quant.IsFixedPoint")
		return capi.MlirUniformQuantizedTypeIsFixedPoint(raw.Table(c), h)
	case IsPerAxis(t):
		// The C function reports whether no zero point is zero.
		q, err := ReadPerAxis(t)
		return err == nil && !slices.ContainsFunc(q.ZeroPoints, func(z int64) bool { return z != 0 })
	}
	return false
}
