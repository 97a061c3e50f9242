package mlir

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// MemRefOptions are the parts of a memref type that are usually left out.
type MemRefOptions struct {
	// Layout is a strided layout or an affine map from the indices to the place in
	// memory. When nil, rows follow one another.
	Layout Attribute
	// MemorySpace says in which memory the buffer lies. When nil, in the default one.
	MemorySpace Attribute
}

// MemRefType is a buffer of the given dimensions, Dynamic where one is not known.
func (c *Context) MemRefType(elem Type, o MemRefOptions, dims ...int64) (Type, error) {
	t := c.life.check("Context.MemRefType")
	raw, space := elem.in(c, "Context.MemRefType"), c.optional(o.MemorySpace, "Context.MemRefType")
	if err := checkDims("a memref", dims); err != nil {
		return Type{}, err
	}
	if o.Layout.IsNil() {
		return c.checkedType(capi.MlirMemRefTypeContiguousGetChecked(t, c.unknown(), raw, len(dims), first(dims), space),
			"a memref type")
	}
	layout := o.Layout.in(c, "Context.MemRefType")
	if !capi.MlirAttributeIsAAffineMap(t, layout) && !capi.MlirAttributeIsAStridedLayout(t, layout) {
		return Type{}, fmt.Errorf("mlir: the layout of a memref is an affine map or a strided layout, not %s", o.Layout)
	}
	return c.checkedType(capi.MlirMemRefTypeGetChecked(t, c.unknown(), raw, len(dims), first(dims), layout, space),
		"a memref type")
}

// UnrankedMemRefType is memref<*xelem, memorySpace>. The memory space may be nil.
func (c *Context) UnrankedMemRefType(elem Type, memorySpace Attribute) (Type, error) {
	t := c.life.check("Context.UnrankedMemRefType")
	raw, space := elem.in(c, "Context.UnrankedMemRefType"), c.optional(memorySpace, "Context.UnrankedMemRefType")
	return c.checkedType(capi.MlirUnrankedMemRefTypeGetChecked(t, c.unknown(), raw, space), "an unranked memref type")
}

// optional is the null handle for a nil attribute.
func (c *Context) optional(a Attribute, method string) capi.MlirAttribute {
	if a.IsNil() {
		return capi.MlirAttribute{}
	}
	return a.in(c, method)
}

// Layout is the layout of a memref type, the identity map where none was given; false
// for any other type.
func (t Type) Layout() (Attribute, bool) {
	api := t.check("Type.Layout")
	if !capi.MlirTypeIsAMemRef(api, t.raw) {
		return Attribute{}, false
	}
	return Attribute{t.life, capi.MlirMemRefTypeGetLayout(api, t.raw)}, true
}

// LayoutMap is the layout of a memref type as an affine map; false for any other type.
func (t Type) LayoutMap() (AffineMap, bool) {
	api := t.check("Type.LayoutMap")
	if !capi.MlirTypeIsAMemRef(api, t.raw) {
		return AffineMap{}, false
	}
	return AffineMap{t.life, capi.MlirMemRefTypeGetAffineMap(api, t.raw)}, true
}

// MemorySpace is the memory space of a memref type, ranked or not; false where it is
// the default one and for any other type.
func (t Type) MemorySpace() (Attribute, bool) {
	api := t.check("Type.MemorySpace")
	var raw capi.MlirAttribute
	switch {
	case capi.MlirTypeIsAMemRef(api, t.raw):
		raw = capi.MlirMemRefTypeGetMemorySpace(api, t.raw)
	case capi.MlirTypeIsAUnrankedMemRef(api, t.raw):
		raw = capi.MlirUnrankedMemrefGetMemorySpace(api, t.raw)
	}
	return Attribute{t.life, raw}, raw.Ptr != nil
}

// Strides are the distances between neighbours along each dimension of a memref type,
// and where its first element lies, both counted in elements and Dynamic where not
// known; false for any other type and where the layout has no strides.
func (t Type) Strides() (strides []int64, offset int64, ok bool) {
	api := t.check("Type.Strides")
	if !capi.MlirTypeIsAMemRef(api, t.raw) {
		return nil, 0, false
	}
	rank := capi.MlirShapedTypeGetRank(api, t.raw)
	strides = make([]int64, rank, rank+1) // the library is given an address also for rank 0
	if capi.MlirMemRefTypeGetStridesAndOffset(api, t.raw, &strides[:1][0], &offset).Value == 0 {
		return nil, 0, false
	}
	return strides, offset, true
}
