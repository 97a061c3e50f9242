package quant

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// ElementType returns t if it is a quantized type, or the quantized element type of a
// tensor, vector or memref t. Otherwise it returns the zero Type.
func ElementType(t mlir.Type) (mlir.Type, error) {
	c, h := raw.UnwrapType(t, "quant.ElementType")
	const function = "mlirQuantizedTypeGetQuantizedElementType"
	if err := raw.Need(c.Library(), function); err != nil {
		return mlir.Type{}, err
	}
	element := capi.MlirQuantizedTypeGetQuantizedElementType(raw.Table(c), h)
	if element.Ptr == nil {
		return mlir.Type{}, nil
	}
	return raw.WrapType(c, element), nil
}

// IsCompatible reports whether t, or its element type, is the expressed type of q.
func IsCompatible(q, t mlir.Type) (bool, error) {
	c, api, h, err := open(q, "quant.IsCompatible", "mlirTypeIsAQuantizedType", "a quantized type", Is)
	if err != nil {
		return false, err
	}
	return capi.MlirQuantizedTypeIsCompatibleExpressedType(api, h, raw.TypeIn(t, c, "quant.IsCompatible")), nil
}

// FromStorage returns t with q instead of q's storage type. The type t is the storage type,
// or contains it.
func FromStorage(q, t mlir.Type) (mlir.Type, error) {
	return castTo(q, t, "quant.FromStorage", func(api *capi.Table, q, t capi.MlirType) capi.MlirType {
		made := capi.MlirQuantizedTypeCastFromStorageType(api, q, t)
		if made != t || made == q {
			return made
		}
		// LLVM 22 returns tensors unchanged.
		return withElement(api, t, q)
	})
}

// withElement returns the tensor type t with another element type, or null if t is not a
// tensor type.
func withElement(api *capi.Table, t, element capi.MlirType) capi.MlirType {
	at := capi.MlirLocationUnknownGet(api, capi.MlirTypeGetContext(api, t))
	switch {
	case capi.MlirTypeIsAUnrankedTensor(api, t):
		return capi.MlirUnrankedTensorTypeGetChecked(api, at, element)
	case capi.MlirTypeIsARankedTensor(api, t):
		dims := make([]int64, capi.MlirShapedTypeGetRank(api, t))
		for i := range dims {
			dims[i] = capi.MlirShapedTypeGetDimSize(api, t, i)
		}
		return capi.MlirRankedTensorTypeGetChecked(api, at, len(dims), raw.First(dims), element,
			capi.MlirRankedTensorTypeGetEncoding(api, t))
	}
	return capi.MlirType{}
}

// FromExpressed returns t with q instead of q's expressed type. The type t is the expressed
// type, or contains it.
func FromExpressed(q, t mlir.Type) (mlir.Type, error) {
	return castTo(q, t, "quant.FromExpressed", capi.MlirQuantizedTypeCastFromExpressedType)
}

// ExpressedToStorage returns t with q's storage type instead of q's expressed type. The
// type t is the expressed type, or contains it.
func ExpressedToStorage(q, t mlir.Type) (mlir.Type, error) {
	return castTo(q, t, "quant.ExpressedToStorage", capi.MlirQuantizedTypeCastExpressedToStorageType)
}

func castTo(
	q, t mlir.Type, method string, cast func(*capi.Table, capi.MlirType, capi.MlirType) capi.MlirType,
) (mlir.Type, error) {
	c, api, h, err := open(q, method, "mlirTypeIsAQuantizedType", "a quantized type", Is)
	if err != nil {
		return mlir.Type{}, err
	}
	// A calibrated type has no storage type. The library would read it nevertheless.
	if IsCalibrated(q) {
		return mlir.Type{}, fmt.Errorf("quant: %s cannot be cast: it is not stored as integers", q)
	}
	made := cast(api, h, raw.TypeIn(t, c, method))
	if made.Ptr == nil {
		return mlir.Type{}, fmt.Errorf("quant: %s does not match %s", t, q)
	}
	return raw.WrapType(c, made), nil
}

// ToStorage returns t with its quantized type replaced by the storage type.
func ToStorage(t mlir.Type) (mlir.Type, error) {
	return castFrom(t, "quant.ToStorage", capi.MlirQuantizedTypeCastToStorageType)
}

// ToExpressed returns t with its quantized type replaced by the expressed type.
func ToExpressed(t mlir.Type) (mlir.Type, error) {
	return castFrom(t, "quant.ToExpressed", capi.MlirQuantizedTypeCastToExpressedType)
}

func castFrom(t mlir.Type, method string, cast func(*capi.Table, capi.MlirType) capi.MlirType) (mlir.Type, error) {
	c, h := raw.UnwrapType(t, method)
	q, err := ElementType(t)
	if err != nil {
		return mlir.Type{}, err
	}
	if q.IsNil() || IsCalibrated(q) {
		return mlir.Type{}, fmt.Errorf("quant: %s has no quantized type that is stored as integers", t)
	}
	if cannot := capi.MlirQuantizedTypeGetExpressedType(raw.Table(c), raw.Type(q)).Ptr == nil; cannot &&
		method == "quant.ToExpressed" {
		return mlir.Type{}, fmt.Errorf("quant: %s has no expressed type", q)
	}
	made := cast(raw.Table(c), h)
	if made.Ptr == nil {
		return mlir.Type{}, fmt.Errorf("quant: %s cannot be cast", t)
	}
	return raw.WrapType(c, made), nil
}
