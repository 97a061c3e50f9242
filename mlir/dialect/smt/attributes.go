package smt

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
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
