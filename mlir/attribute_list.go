package mlir

import (
	"iter"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// ArrayAttribute returns [elements…].
func (c *Context) ArrayAttribute(elements ...Attribute) Attribute {
	api := c.life.check("Context.ArrayAttribute")
	raw := make([]capi.MlirAttribute, len(elements))
	for i, e := range elements {
		raw[i] = e.in(c, "Context.ArrayAttribute")
	}
	return c.composedAttribute(capi.MlirArrayAttrGet(api, c.raw, len(raw), first(raw)))
}

// DictionaryAttribute returns {name = value, …}. If entries have the same name, the last
// one is used.
func (c *Context) DictionaryAttribute(entries ...NamedAttribute) Attribute {
	api := c.life.check("Context.DictionaryAttribute")
	at := map[string]int{}
	var raw []capi.MlirNamedAttribute
	for _, e := range entries {
		named := capi.MlirNamedAttribute{Name: c.identifier(e.Name),
			Attribute: e.Value.in(c, "Context.DictionaryAttribute")}
		if i, ok := at[e.Name]; ok {
			raw[i] = named
			continue
		}
		at[e.Name] = len(raw)
		raw = append(raw, named)
	}
	return c.composedAttribute(capi.MlirDictionaryAttrGet(api, c.raw, len(raw), first(raw)))
}

// Elements returns the elements of an array attribute, and whether a is one.
func (a Attribute) Elements() ([]Attribute, bool) {
	api := a.check("Attribute.Elements")
	if !capi.MlirAttributeIsAArray(api, a.raw) {
		return nil, false
	}
	out := make([]Attribute, capi.MlirArrayAttrGetNumElements(api, a.raw))
	for i := range out {
		out[i] = Attribute{a.life, capi.MlirArrayAttrGetElement(api, a.raw, i)}
	}
	return out, true
}

// Entries returns an iterator over the entries of a dictionary attribute, sorted by name.
// It yields nothing for any other attribute.
func (a Attribute) Entries() iter.Seq2[string, Attribute] {
	return func(yield func(string, Attribute) bool) {
		api := a.check("Attribute.Entries")
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

// IsDictionary reports whether a is a dictionary attribute.
func (a Attribute) IsDictionary() bool {
	return capi.MlirAttributeIsADictionary(a.check("Attribute.IsDictionary"), a.raw)
}

// Entry returns the value of the named entry of a dictionary attribute, and whether a is a
// dictionary with that entry.
func (a Attribute) Entry(name string) (Attribute, bool) {
	api := a.check("Attribute.Entry")
	if !capi.MlirAttributeIsADictionary(api, a.raw) {
		return Attribute{}, false
	}
	raw := capi.MlirDictionaryAttrGetElementByName(api, a.raw, name)
	return Attribute{a.life, raw}, raw.Ptr != nil
}
