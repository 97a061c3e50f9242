package quant

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/internal/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// kind is the C predicate of one of the types. Two of them print under one name, so
// the name does not tell.
func kind(t mlir.Type, function string, is func(*capi.Table, capi.MlirType) bool) bool {
	if t.IsNil() {
		return false
	}
	c, h := raw.UnwrapType(t, "quant.Is")
	return c.Library().Has(function) && is(raw.Table(c), h)
}

// Is reports whether t is a type of the dialect. A library without its C API says no,
// as do the functions that follow.
func Is(t mlir.Type) bool { return kind(t, "mlirTypeIsAQuantizedType", capi.MlirTypeIsAQuantizedType) }

// IsAny reports whether t is !quant.any<…>.
func IsAny(t mlir.Type) bool {
	return kind(t, "mlirTypeIsAAnyQuantizedType", capi.MlirTypeIsAAnyQuantizedType)
}

// IsUniform reports whether t is !quant.uniform<…> with one scale.
func IsUniform(t mlir.Type) bool {
	return kind(t, "mlirTypeIsAUniformQuantizedType", capi.MlirTypeIsAUniformQuantizedType)
}

// IsPerAxis reports whether t is !quant.uniform<…> with scales along one dimension.
func IsPerAxis(t mlir.Type) bool {
	return kind(t, "mlirTypeIsAUniformQuantizedPerAxisType", capi.MlirTypeIsAUniformQuantizedPerAxisType)
}

// IsSubChannel reports whether t is !quant.uniform<…> with scales for blocks.
func IsSubChannel(t mlir.Type) bool {
	return kind(t, "mlirTypeIsAUniformQuantizedSubChannelType", capi.MlirTypeIsAUniformQuantizedSubChannelType)
}

// IsCalibrated reports whether t is !quant.calibrated<…>.
func IsCalibrated(t mlir.Type) bool {
	return kind(t, "mlirTypeIsACalibratedQuantizedType", capi.MlirTypeIsACalibratedQuantizedType)
}

// open gives the handles of a type that must be of a kind.
func open(t mlir.Type, method, predicate, what string, is func(mlir.Type) bool) (*mlir.Context, *capi.Table, capi.MlirType, error) {
	c, h := raw.UnwrapType(t, method)
	if err := raw.Need(c.Library(), predicate); err != nil {
		return nil, nil, h, err
	}
	if !is(t) {
		return nil, nil, h, fmt.Errorf("quant: %s is no %s", t, what)
	}
	return c, raw.Table(c), h, nil
}

// common reads what all types but the calibrated one have.
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

// ReadAny reads the type.
func ReadAny(t mlir.Type) (Any, error) {
	c, api, h, err := open(t, "quant.ReadAny", "mlirTypeIsAAnyQuantizedType", "!quant.any", IsAny)
	if err != nil {
		return Any{}, err
	}
	s, e := common(c, api, h)
	return Any{Storage: s, Expressed: e}, nil
}

// ReadUniform reads the type.
func ReadUniform(t mlir.Type) (Uniform, error) {
	c, api, h, err := open(t, "quant.ReadUniform", "mlirTypeIsAUniformQuantizedType", "!quant.uniform with one scale", IsUniform)
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

// ReadPerAxis reads the type.
func ReadPerAxis(t mlir.Type) (PerAxis, error) {
	c, api, h, err := open(t, "quant.ReadPerAxis", "mlirTypeIsAUniformQuantizedPerAxisType", "!quant.uniform with an axis", IsPerAxis)
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

// ReadSubChannel reads the type.
func ReadSubChannel(t mlir.Type) (SubChannel, error) {
	c, api, h, err := open(t, "quant.ReadSubChannel", "mlirTypeIsAUniformQuantizedSubChannelType", "!quant.uniform with blocks", IsSubChannel)
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

// ReadCalibrated reads the type.
func ReadCalibrated(t mlir.Type) (Calibrated, error) {
	c, api, h, err := open(t, "quant.ReadCalibrated", "mlirTypeIsACalibratedQuantizedType", "!quant.calibrated", IsCalibrated)
	if err != nil {
		return Calibrated{}, err
	}
	return Calibrated{
		Expressed: raw.WrapType(c, capi.MlirQuantizedTypeGetExpressedType(api, h)),
		Min:       capi.MlirCalibratedQuantizedTypeGetMin(api, h),
		Max:       capi.MlirCalibratedQuantizedTypeGetMax(api, h),
	}, nil
}

// IsFixedPoint reports whether all zero points of a uniform type with one scale or an
// axis are zero.
func IsFixedPoint(t mlir.Type) bool {
	switch {
	case IsUniform(t):
		c, h := raw.UnwrapType(t, "quant.IsFixedPoint")
		return capi.MlirUniformQuantizedTypeIsFixedPoint(raw.Table(c), h)
	case IsPerAxis(t):
		// The C function says whether no zero point is zero.
		q, err := ReadPerAxis(t)
		return err == nil && !slices.ContainsFunc(q.ZeroPoints, func(z int64) bool { return z != 0 })
	}
	return false
}
