package mlir

import "github.com/calliope-mlir/calliope/experimental/capi"

// UnitAttribute returns the unit attribute, whose presence is its only value.
func (c *Context) UnitAttribute() Attribute {
	return c.attribute(capi.MlirUnitAttrGet(c.life.check("Context.UnitAttribute"), c.raw))
}

// TypeAttribute returns a type as an attribute.
func (c *Context) TypeAttribute(t Type) Attribute {
	api := c.life.check("Context.TypeAttribute")
	return c.composedAttribute(capi.MlirTypeAttrGet(api, t.in(c, "Context.TypeAttribute")))
}

// TypeValue returns the type in a type attribute, and whether a is one.
func (a Attribute) TypeValue() (Type, bool) {
	api := a.check("Attribute.TypeValue")
	if !capi.MlirAttributeIsAType(api, a.raw) {
		return Type{}, false
	}
	return Type{a.life, capi.MlirTypeAttrGetValue(api, a.raw)}, true
}

// LocationAttribute returns a location as an attribute.
func (c *Context) LocationAttribute(l Location) Attribute {
	api := c.life.check("Context.LocationAttribute")
	return c.attribute(capi.MlirLocationGetAttribute(api, l.in(c, "Context.LocationAttribute")))
}

// LocationValue returns the location in a location attribute, and whether a is one.
func (a Attribute) LocationValue() (Location, bool) {
	api := a.check("Attribute.LocationValue")
	if !capi.MlirAttributeIsALocation(api, a.raw) {
		return Location{}, false
	}
	return Location{a.life, capi.MlirLocationFromAttribute(api, a.raw)}, true
}

// StridedLayoutAttribute returns strided<[strides…], offset: offset>. Unknown numbers are
// Dynamic.
func (c *Context) StridedLayoutAttribute(offset int64, strides ...int64) Attribute {
	api := c.life.check("Context.StridedLayoutAttribute")
	return c.attribute(capi.MlirStridedLayoutAttrGet(api, c.raw, offset, len(strides), first(strides)))
}

// StridedLayout returns the offset and strides of a strided layout attribute. ok is false
// for any other attribute.
func (a Attribute) StridedLayout() (offset int64, strides []int64, ok bool) {
	api := a.check("Attribute.StridedLayout")
	if !capi.MlirAttributeIsAStridedLayout(api, a.raw) {
		return 0, nil, false
	}
	strides = make([]int64, capi.MlirStridedLayoutAttrGetNumStrides(api, a.raw))
	for i := range strides {
		strides[i] = capi.MlirStridedLayoutAttrGetStride(api, a.raw, i)
	}
	return capi.MlirStridedLayoutAttrGetOffset(api, a.raw), strides, true
}

// DistinctAttribute returns distinct[…]<a>, an attribute that equals no other one, not
// even one made of the same attribute. It returns an *UnsupportedError if the library
// lacks it.
func (c *Context) DistinctAttribute(a Attribute) (Attribute, error) {
	api := c.life.check("Context.DistinctAttribute")
	raw := a.in(c, "Context.DistinctAttribute")
	if c.lib.Has("mlirDistinctAttrCreate") {
		return c.attribute(capi.MlirDistinctAttrCreate(api, raw)), nil
	}
	if err := c.lib.need("mlirDisctinctAttrCreate"); err != nil { // sic: its name until LLVM 22
		return Attribute{}, err
	}
	return c.attribute(capi.MlirDisctinctAttrCreate(api, raw)), nil
}
