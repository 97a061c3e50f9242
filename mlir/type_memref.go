package mlir

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// MemRefOptions are the optional parts of a memref type.
type MemRefOptions struct {
	// Layout is a strided layout or an affine map from the indices to the position in memory, as affine.Map.Attribute
	// makes it. If it is nil, the layout is row-major without gaps.
	Layout Attribute
	// MemorySpace is the memory space of the buffer. If it is nil, the default one is
	// used.
	MemorySpace Attribute
}

// MemRefType returns the type of a buffer with the given dimensions. Unknown dimensions
// are Dynamic.
func (c *Context) MemRefType(elem Type, o MemRefOptions, dims ...int64) (Type, error) {
	t := c.life.check("Context.MemRefType")
	raw, space := elem.in(c, "Context.MemRefType"), c.optional(o.MemorySpace, "Context.MemRefType")
	if err := checkDims("a memref", dims); err != nil {
		return Type{}, err
	}
	if o.Layout.IsNil() {
		return c.checkedType(
			capi.MlirMemRefTypeContiguousGetChecked(t, c.unknown(), raw, len(dims), first(dims), space),
			"a memref type")
	}
	layout := o.Layout.in(c, "Context.MemRefType")
	if !capi.MlirAttributeIsAAffineMap(t, layout) && !capi.MlirAttributeIsAStridedLayout(t, layout) {
		return Type{},
			fmt.Errorf("mlir: the layout of a memref must be an affine map or a strided layout, not %s", o.Layout)
	}
	return c.checkedType(capi.MlirMemRefTypeGetChecked(t, c.unknown(), raw, len(dims), first(dims), layout, space),
		"a memref type")
}

// UnrankedMemRefType returns memref<*xelem, memorySpace>. The memory space may be nil.
func (c *Context) UnrankedMemRefType(elem Type, memorySpace Attribute) (Type, error) {
	t := c.life.check("Context.UnrankedMemRefType")
	raw, space := elem.in(c, "Context.UnrankedMemRefType"), c.optional(memorySpace, "Context.UnrankedMemRefType")
	return c.checkedType(capi.MlirUnrankedMemRefTypeGetChecked(t, c.unknown(), raw, space), "an unranked memref type")
}

// optional returns the null handle for a nil attribute.
func (c *Context) optional(a Attribute, method string) capi.MlirAttribute {
	if a.IsNil() {
		return capi.MlirAttribute{}
	}
	return a.in(c, method)
}

// Layout returns the layout of a memref type, and whether t is one. The default is the identity map. affine.LayoutOf
// returns any layout as a map.
func (t Type) Layout() (Attribute, bool) {
	api := t.check("Type.Layout")
	if !capi.MlirTypeIsAMemRef(api, t.raw) {
		return Attribute{}, false
	}
	return Attribute{t.life, capi.MlirMemRefTypeGetLayout(api, t.raw)}, true
}

// MemorySpace returns the memory space of a ranked or unranked memref type. It returns
// false for the default memory space and for any other type.
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

// Strides returns the strides of a memref type and the offset of its first element, both
// counted in elements. Unknown ones are Dynamic. ok is false for any other type, and if
// the layout has no strides.
func (t Type) Strides() (strides []int64, offset int64, ok bool) {
	api := t.check("Type.Strides")
	if !capi.MlirTypeIsAMemRef(api, t.raw) {
		return nil, 0, false
	}
	rank := capi.MlirShapedTypeGetRank(api, t.raw)
	strides = make([]int64, rank, rank+1) // the library takes an address also for rank 0
	if capi.MlirMemRefTypeGetStridesAndOffset(api, t.raw, &strides[:1][0], &offset).Value == 0 {
		return nil, 0, false
	}
	return strides, offset, true
}
