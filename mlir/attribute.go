package mlir

import (
	"fmt"
	"iter"
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Attribute is an MLIR attribute. Attributes are uniqued by their context: equal
// attributes are equal values.
type Attribute struct {
	life *lifetime
	raw  capi.MlirAttribute
}

// IsNil reports whether a is the zero Attribute.
func (a Attribute) IsNil() bool { return a.raw.Ptr == nil }

func (c *Context) attribute(raw capi.MlirAttribute) Attribute { return Attribute{c.life, raw} }

// ParseAttribute reads an attribute from its text, for example "#stablehlo<precision HIGH>".
func (c *Context) ParseAttribute(text string) (Attribute, error) {
	t := c.life.check("Context.ParseAttribute")
	source := text + "\x00" // some libraries read up to a NUL
	raw := capi.MlirAttributeParseGet(t, c.raw, source[:len(text)])
	diagnostics := c.takeDiagnostics(text)
	if raw.Ptr == nil {
		return Attribute{}, &DiagnosticError{Op: fmt.Sprintf("parsing the attribute %q", text), Diagnostics: diagnostics}
	}
	return c.attribute(raw), nil
}

// StringAttribute is a string. It may hold any bytes.
func (c *Context) StringAttribute(s string) Attribute {
	return c.attribute(capi.MlirStringAttrGet(c.life.check("Context.StringAttribute"), c.raw, s))
}

// BoolAttribute is true or false.
func (c *Context) BoolAttribute(b bool) Attribute {
	v := int32(0)
	if b {
		v = 1
	}
	return c.attribute(capi.MlirBoolAttrGet(c.life.check("Context.BoolAttribute"), c.raw, v))
}

// IntegerAttribute is v : t, where t is an integer or index type.
func (c *Context) IntegerAttribute(t Type, v int64) Attribute {
	api := c.life.check("Context.IntegerAttribute")
	raw := t.in(c, "Context.IntegerAttribute")
	if !capi.MlirTypeIsAInteger(api, raw) && !capi.MlirTypeIsAIndex(api, raw) {
		panic("mlir: Context.IntegerAttribute was given the type " + t.String() + ", which is no integer type")
	}
	return c.attribute(capi.MlirIntegerAttrGet(api, raw, v))
}

// UnitAttribute is the attribute that only says it is there.
func (c *Context) UnitAttribute() Attribute {
	return c.attribute(capi.MlirUnitAttrGet(c.life.check("Context.UnitAttribute"), c.raw))
}

// TypeAttribute is a type as an attribute.
func (c *Context) TypeAttribute(t Type) Attribute {
	api := c.life.check("Context.TypeAttribute")
	return c.attribute(capi.MlirTypeAttrGet(api, t.in(c, "Context.TypeAttribute")))
}

// SymbolAttribute is a reference to a symbol: @name.
func (c *Context) SymbolAttribute(name string) Attribute {
	return c.attribute(capi.MlirFlatSymbolRefAttrGet(c.life.check("Context.SymbolAttribute"), c.raw, name))
}

// ArrayAttribute is [elements…].
func (c *Context) ArrayAttribute(elements ...Attribute) Attribute {
	api := c.life.check("Context.ArrayAttribute")
	raw := make([]capi.MlirAttribute, len(elements))
	for i, e := range elements {
		raw[i] = e.in(c, "Context.ArrayAttribute")
	}
	return c.attribute(capi.MlirArrayAttrGet(api, c.raw, len(raw), first(raw)))
}

// DictionaryAttribute is {name = value, …}. Of entries with one name the last counts.
func (c *Context) DictionaryAttribute(entries ...NamedAttribute) Attribute {
	api := c.life.check("Context.DictionaryAttribute")
	at := map[string]int{}
	var raw []capi.MlirNamedAttribute
	for _, e := range entries {
		named := capi.MlirNamedAttribute{Name: c.identifier(e.Name), Attribute: e.Value.in(c, "Context.DictionaryAttribute")}
		if i, ok := at[e.Name]; ok {
			raw[i] = named
			continue
		}
		at[e.Name] = len(raw)
		raw = append(raw, named)
	}
	return c.attribute(capi.MlirDictionaryAttrGet(api, c.raw, len(raw), first(raw)))
}

// Int64ArrayAttribute is array<i64: …>.
func (c *Context) Int64ArrayAttribute(values ...int64) Attribute {
	api := c.life.check("Context.Int64ArrayAttribute")
	return c.attribute(capi.MlirDenseI64ArrayGet(api, c.raw, len(values), first(values)))
}

// DenseAttribute is dense<…> : t, whose elements are given as bytes in the host's
// order, one after the other (one byte for an element of fewer than eight bits).
// The bytes are copied.
func (c *Context) DenseAttribute(t Type, data []byte) (Attribute, error) {
	api := c.life.check("Context.DenseAttribute")
	raw := t.in(c, "Context.DenseAttribute")
	if !capi.MlirTypeIsAShaped(api, raw) || !capi.MlirShapedTypeHasStaticShape(api, raw) {
		return Attribute{}, fmt.Errorf("mlir: a dense attribute needs a shape that is fully known, not %s", t)
	}
	if len(data) == 0 {
		data = []byte{0}[:0:1] // the library takes the address
	}
	a := capi.MlirDenseElementsAttrRawBufferGet(api, raw, len(data), pointer(&data[:1][0]))
	if a.Ptr == nil {
		return Attribute{}, fmt.Errorf("mlir: %d bytes do not make a dense attribute of type %s", len(data), t)
	}
	return c.attribute(a), nil
}

// String is the attribute as MLIR prints it.
func (a Attribute) String() string {
	if a.IsNil() {
		return "<nil attribute>"
	}
	api := a.life.check("Attribute.String")
	return string(collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirAttributePrint(api, a.raw, cb, ud)
	}))
}

// Equal reports whether both are one attribute.
func (a Attribute) Equal(b Attribute) bool { return a.raw == b.raw }

// Text is the value of a string attribute.
func (a Attribute) Text() (string, bool) {
	api := a.life.check("Attribute.Text")
	if !capi.MlirAttributeIsAString(api, a.raw) {
		return "", false
	}
	return capi.MlirStringAttrGetValue(api, a.raw), true
}

// Bool is the value of a boolean attribute.
func (a Attribute) Bool() (value, ok bool) {
	api := a.life.check("Attribute.Bool")
	if !capi.MlirAttributeIsABool(api, a.raw) {
		return false, false
	}
	return capi.MlirBoolAttrGetValue(api, a.raw), true
}

// Int is the value of an integer attribute of at most 64 bits.
func (a Attribute) Int() (int64, bool) {
	api := a.life.check("Attribute.Int")
	if !capi.MlirAttributeIsAInteger(api, a.raw) {
		return 0, false
	}
	typ := capi.MlirAttributeGetType(api, a.raw)
	switch {
	case capi.MlirTypeIsAIndex(api, typ), capi.MlirIntegerTypeIsSignless(api, typ):
		if capi.MlirTypeIsAInteger(api, typ) && capi.MlirIntegerTypeGetWidth(api, typ) > 64 {
			return 0, false
		}
		return capi.MlirIntegerAttrGetValueInt(api, a.raw), true
	case capi.MlirIntegerTypeGetWidth(api, typ) > 64:
		return 0, false
	case capi.MlirIntegerTypeIsSigned(api, typ):
		return capi.MlirIntegerAttrGetValueSInt(api, a.raw), true
	}
	return int64(capi.MlirIntegerAttrGetValueUInt(api, a.raw)), true
}

// Symbol is the name in a reference to a symbol without nesting.
func (a Attribute) Symbol() (string, bool) {
	api := a.life.check("Attribute.Symbol")
	if !capi.MlirAttributeIsAFlatSymbolRef(api, a.raw) {
		return "", false
	}
	return capi.MlirFlatSymbolRefAttrGetValue(api, a.raw), true
}

// TypeValue is the type in a type attribute.
func (a Attribute) TypeValue() (Type, bool) {
	api := a.life.check("Attribute.TypeValue")
	if !capi.MlirAttributeIsAType(api, a.raw) {
		return Type{}, false
	}
	return Type{a.life, capi.MlirTypeAttrGetValue(api, a.raw)}, true
}

// Elements iterates over an array attribute; false for any other one.
func (a Attribute) Elements() ([]Attribute, bool) {
	api := a.life.check("Attribute.Elements")
	if !capi.MlirAttributeIsAArray(api, a.raw) {
		return nil, false
	}
	out := make([]Attribute, capi.MlirArrayAttrGetNumElements(api, a.raw))
	for i := range out {
		out[i] = Attribute{a.life, capi.MlirArrayAttrGetElement(api, a.raw, i)}
	}
	return out, true
}

// Entries iterates over a dictionary attribute, sorted by name; over nothing for any
// other one.
func (a Attribute) Entries() iter.Seq2[string, Attribute] {
	return func(yield func(string, Attribute) bool) {
		api := a.life.check("Attribute.Entries")
		if !capi.MlirAttributeIsADictionary(api, a.raw) {
			return
		}
		for i := range capi.MlirDictionaryAttrGetNumElements(api, a.raw) {
			e := capi.MlirDictionaryAttrGetElement(api, a.raw, i)
			if !yield(a.life.ctx.text(e.Name), Attribute{a.life, e.Attribute}) {
				return
			}
		}
	}
}

// IsDictionary reports whether a is {…}.
func (a Attribute) IsDictionary() bool {
	return capi.MlirAttributeIsADictionary(a.life.check("Attribute.IsDictionary"), a.raw)
}

// Int64s are the values of array<i64: …>; false for any other attribute.
func (a Attribute) Int64s() ([]int64, bool) {
	api := a.life.check("Attribute.Int64s")
	if !capi.MlirAttributeIsADenseI64Array(api, a.raw) {
		return nil, false
	}
	out := make([]int64, capi.MlirDenseArrayGetNumElements(api, a.raw))
	for i := range out {
		out[i] = capi.MlirDenseI64ArrayGetElement(api, a.raw, i)
	}
	return out, true
}

// Indices are the values of a dense attribute of index elements, as layouts have
// them; nil for any other attribute.
func (a Attribute) Indices() []int64 {
	api := a.life.check("Attribute.Indices")
	if !capi.MlirAttributeIsADenseElements(api, a.raw) {
		return nil
	}
	element := capi.MlirShapedTypeGetElementType(api, capi.MlirAttributeGetType(api, a.raw))
	if !capi.MlirTypeIsAIndex(api, element) {
		return nil
	}
	n := int(capi.MlirElementsAttrGetNumElements(api, a.raw))
	// An index is kept as 64 bits; a splat keeps one of them for all.
	data := (*int64)(capi.MlirDenseElementsAttrGetRawData(api, a.raw))
	if n > 0 && capi.MlirDenseElementsAttrIsSplat(api, a.raw) {
		return slices.Repeat([]int64{*data}, n)
	}
	return append([]int64(nil), unsafe.Slice(data, n)...)
}
