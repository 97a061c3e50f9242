package smt

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/internal/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// BitVector returns #smt.bv<value> : !smt.bv<width>.
func BitVector(c *mlir.Context, value uint64, width int) (mlir.Attribute, error) {
	t, err := raw.Load(c, dialect, "mlirSMTAttrGetBitVector")
	if err != nil {
		return mlir.Attribute{}, err
	}
	if width < 1 || width > maxWidth || width < 64 && value>>width != 0 {
		return mlir.Attribute{}, fmt.Errorf("smt: %d is not a value of %d bits", value, width)
	}
	return raw.WrapAttribute(c, capi.MlirSMTAttrGetBitVector(t, raw.Context(c), value, uint32(width))), nil
}

// IsBitVectorAttribute reports whether a is #smt.bv<…>.
func IsBitVectorAttribute(a mlir.Attribute) bool { return raw.IsAttribute(a, "#smt.bv") }

// IntPredicate returns the attribute of a comparison of integers: "lt", "le", "gt" or "ge".
func IntPredicate(c *mlir.Context, name string) (mlir.Attribute, error) {
	return predicate(c, name, "mlirSMTAttrCheckIntPredicate", capi.MlirSMTAttrCheckIntPredicate,
		"mlirSMTAttrGetIntPredicate", capi.MlirSMTAttrGetIntPredicate)
}

// BVCmpPredicate returns the attribute of a comparison of bit vectors: "slt", "sle", "sgt",
// "sge", "ult", "ule", "ugt" or "uge".
func BVCmpPredicate(c *mlir.Context, name string) (mlir.Attribute, error) {
	return predicate(c, name, "mlirSMTAttrCheckBVCmpPredicate", capi.MlirSMTAttrCheckBVCmpPredicate,
		"mlirSMTAttrGetBVCmpPredicate", capi.MlirSMTAttrGetBVCmpPredicate)
}

func predicate(c *mlir.Context, name, checkName string, check func(*capi.Table, capi.MlirContext, string) bool,
	getName string, get func(*capi.Table, capi.MlirContext, string) capi.MlirAttribute) (mlir.Attribute, error) {
	t, err := raw.Load(c, dialect, checkName, getName)
	if err != nil {
		return mlir.Attribute{}, err
	}
	if !check(t, raw.Context(c), name) {
		return mlir.Attribute{}, fmt.Errorf("smt: %q is not a comparison", name)
	}
	return raw.WrapAttribute(c, get(t, raw.Context(c), name)), nil
}
