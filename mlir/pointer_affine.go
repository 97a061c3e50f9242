package mlir

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// Pointer returns the ptr of the MlirAffineExpr, which belongs to the context.
func (e AffineExpr) Pointer() unsafe.Pointer {
	e.check("AffineExpr.Pointer")
	return e.raw.Ptr
}

// AffineExprFromPointer returns the AffineExpr for an MlirAffineExpr of this context.
func (c *Context) AffineExprFromPointer(p unsafe.Pointer) AffineExpr {
	t := c.life.check("Context.AffineExprFromPointer")
	if p == nil {
		return AffineExpr{}
	}
	raw := capi.MlirAffineExpr{Ptr: p}
	c.same(capi.MlirAffineExprGetContext(t, raw), "Context.AffineExprFromPointer")
	return AffineExpr{c.life, raw}
}

// Pointer returns the ptr of the MlirAffineMap, which belongs to the context.
func (m AffineMap) Pointer() unsafe.Pointer {
	m.check("AffineMap.Pointer")
	return m.raw.Ptr
}

// AffineMapFromPointer returns the AffineMap for an MlirAffineMap of this context.
func (c *Context) AffineMapFromPointer(p unsafe.Pointer) AffineMap {
	t := c.life.check("Context.AffineMapFromPointer")
	if p == nil {
		return AffineMap{}
	}
	raw := capi.MlirAffineMap{Ptr: p}
	c.same(capi.MlirAffineMapGetContext(t, raw), "Context.AffineMapFromPointer")
	return AffineMap{c.life, raw}
}

// Pointer returns the ptr of the MlirIntegerSet, which belongs to the context.
func (s IntegerSet) Pointer() unsafe.Pointer {
	s.check("IntegerSet.Pointer")
	return s.raw.Ptr
}

// IntegerSetFromPointer returns the IntegerSet for an MlirIntegerSet of this context.
func (c *Context) IntegerSetFromPointer(p unsafe.Pointer) IntegerSet {
	t := c.life.check("Context.IntegerSetFromPointer")
	if p == nil {
		return IntegerSet{}
	}
	raw := capi.MlirIntegerSet{Ptr: p}
	c.same(capi.MlirIntegerSetGetContext(t, raw), "Context.IntegerSetFromPointer")
	return IntegerSet{c.life, raw}
}
