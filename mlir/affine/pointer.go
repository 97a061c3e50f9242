package affine

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// Pointer returns the ptr of the MlirAffineExpr, which belongs to the context.
func (e Expr) Pointer() unsafe.Pointer {
	e.check("affine.Expr.Pointer")
	return e.raw.Ptr
}

// ExprFromPointer returns the Expr for an MlirAffineExpr of the context, and the zero Expr for nil.
func ExprFromPointer(c *mlir.Context, p unsafe.Pointer) Expr {
	const method = "affine.ExprFromPointer"
	e := Expr{c, capi.MlirAffineExpr{Ptr: p}}
	if t := raw.Use(c, method); p == nil {
		return Expr{}
	} else if capi.MlirAffineExprGetContext(t, e.raw) != raw.Context(c) {
		panic("mlir: " + method + " was given an expression of another context")
	}
	return e
}

// Pointer returns the ptr of the MlirAffineMap, which belongs to the context.
func (m Map) Pointer() unsafe.Pointer {
	m.check("affine.Map.Pointer")
	return m.raw.Ptr
}

// MapFromPointer returns the Map for an MlirAffineMap of the context, and the zero Map for nil.
func MapFromPointer(c *mlir.Context, p unsafe.Pointer) Map {
	const method = "affine.MapFromPointer"
	m := Map{c, capi.MlirAffineMap{Ptr: p}}
	if t := raw.Use(c, method); p == nil {
		return Map{}
	} else if capi.MlirAffineMapGetContext(t, m.raw) != raw.Context(c) {
		panic("mlir: " + method + " was given a map of another context")
	}
	return m
}

// Pointer returns the ptr of the MlirIntegerSet, which belongs to the context.
func (s Set) Pointer() unsafe.Pointer {
	s.check("affine.Set.Pointer")
	return s.raw.Ptr
}

// SetFromPointer returns the Set for an MlirIntegerSet of the context, and the zero Set for nil.
func SetFromPointer(c *mlir.Context, p unsafe.Pointer) Set {
	const method = "affine.SetFromPointer"
	s := Set{c, capi.MlirIntegerSet{Ptr: p}}
	if t := raw.Use(c, method); p == nil {
		return Set{}
	} else if capi.MlirIntegerSetGetContext(t, s.raw) != raw.Context(c) {
		panic("mlir: " + method + " was given a set of another context")
	}
	return s
}
