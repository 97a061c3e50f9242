package mlir

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// StringAttribute returns a string attribute. s may hold any bytes.
func (c *Context) StringAttribute(s string) Attribute {
	return c.attribute(capi.MlirStringAttrGet(c.life.check("Context.StringAttribute"), c.raw, s))
}

// SymbolAttribute returns a reference to a symbol: @name. It panics if the name is empty: no text of such a reference
// can be read.
func (c *Context) SymbolAttribute(name string) Attribute {
	api := c.life.check("Context.SymbolAttribute")
	named("Context.SymbolAttribute", name)
	return c.attribute(capi.MlirFlatSymbolRefAttrGet(api, c.raw, name))
}

// named panics if the name of a symbol is empty.
func named(method, name string) {
	if name == "" {
		panic("mlir: " + method + " was given an empty name")
	}
}

// Text returns the value of a string attribute, and whether a is one.
func (a Attribute) Text() (string, bool) {
	api := a.check("Attribute.Text")
	if !capi.MlirAttributeIsAString(api, a.raw) {
		return "", false
	}
	return capi.MlirStringAttrGetValue(api, a.raw), true
}

// Symbol returns the name in a reference to a symbol without nesting, and whether a is
// one.
func (a Attribute) Symbol() (string, bool) {
	api := a.check("Attribute.Symbol")
	if !capi.MlirAttributeIsAFlatSymbolRef(api, a.raw) {
		return "", false
	}
	return capi.MlirFlatSymbolRefAttrGetValue(api, a.raw), true
}

// TypedStringAttribute returns a string with a type: "s" : t.
func (c *Context) TypedStringAttribute(s string, t Type) Attribute {
	api := c.life.check("Context.TypedStringAttribute")
	return c.attribute(capi.MlirStringAttrTypedGet(api, t.in(c, "Context.TypedStringAttribute"), s))
}

// NestedSymbolAttribute returns a reference to a symbol inside others: @root::@a::@b. It panics if a name is empty.
func (c *Context) NestedSymbolAttribute(root string, nested ...string) Attribute {
	api := c.life.check("Context.NestedSymbolAttribute")
	named("Context.NestedSymbolAttribute", root)
	raw := make([]capi.MlirAttribute, len(nested))
	for i, name := range nested {
		named("Context.NestedSymbolAttribute", name)
		raw[i] = capi.MlirFlatSymbolRefAttrGet(api, c.raw, name)
	}
	return c.attribute(capi.MlirSymbolRefAttrGet(api, c.raw, root, len(raw), first(raw)))
}

// SymbolPath returns the names in a reference to a symbol, the outermost first, and
// whether a is one.
func (a Attribute) SymbolPath() ([]string, bool) {
	api := a.check("Attribute.SymbolPath")
	if !capi.MlirAttributeIsASymbolRef(api, a.raw) {
		return nil, false
	}
	path := []string{capi.MlirSymbolRefAttrGetRootReference(api, a.raw)}
	for i := range capi.MlirSymbolRefAttrGetNumNestedReferences(api, a.raw) {
		path = append(path,
			capi.MlirSymbolRefAttrGetRootReference(api, capi.MlirSymbolRefAttrGetNestedReference(api, a.raw, i)))
	}
	return path, true
}

// OpaqueAttribute returns an attribute of a dialect that the library does not know. It is
// kept as text: #namespace<data> : t. A nil t means no type. It returns an error unless
// the context allows unregistered dialects or the library has the dialect.
func (c *Context) OpaqueAttribute(namespace, data string, t Type) (Attribute, error) {
	api := c.life.check("Context.OpaqueAttribute")
	if err := c.checkNamespace(namespace); err != nil {
		return Attribute{}, err
	}
	if t.IsNil() {
		t = c.NoneType()
	}
	raw := t.in(c, "Context.OpaqueAttribute")
	return c.attribute(capi.MlirOpaqueAttrGet(api, c.raw, namespace, len(data), pointer(unsafe.StringData(data)), raw)),
		nil
}

// Opaque returns the namespace and the text of an opaque attribute. ok is false for any
// other attribute.
func (a Attribute) Opaque() (namespace, data string, ok bool) {
	api := a.check("Attribute.Opaque")
	if !capi.MlirAttributeIsAOpaque(api, a.raw) {
		return "", "", false
	}
	return capi.MlirOpaqueAttrGetDialectNamespace(api, a.raw), capi.MlirOpaqueAttrGetData(api, a.raw), true
}
