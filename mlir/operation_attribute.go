package mlir

import (
	"fmt"
	"iter"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// An operation has two kinds of attributes. Inherent attributes are part of its definition,
// like func.func's sym_name. Discardable attributes can be added to any operation, and have
// the prefix of a dialect, like jax.buffer_donor. See Properties for what is inherent but not
// an attribute.

// Attribute returns the attribute with the given name, inherent or discardable, and whether
// it exists.
func (o Operation) Attribute(name string) (Attribute, bool) {
	t := o.life.use("Operation.Attribute", o.raw.Ptr)
	return o.optional(capi.MlirOperationGetAttributeByName(t, o.raw, name))
}

// SetAttribute sets the attribute with the given name. It panics if the operation has an
// inherent attribute of that name and a is of the wrong kind for it, or a property of that
// name that is not an attribute.
func (o Operation) SetAttribute(name string, a Attribute) {
	t := o.life.use("Operation.SetAttribute", o.raw.Ptr)
	o.set("Operation.SetAttribute", name, a, func(raw capi.MlirAttribute) {
		capi.MlirOperationSetAttributeByName(t, o.raw, name, raw)
	})
}

// set checks that the library accepted the attribute. The library silently drops a value of
// the wrong kind, and the operation could then lack an attribute that it needs.
func (o Operation) set(method, name string, a Attribute, set func(capi.MlirAttribute)) {
	t := o.life.ctx.api
	raw := a.in(o.life.ctx, method)
	if name == "" {
		panic("mlir: " + method + " was given an empty name")
	}
	o.checkSet(method, name)
	before := capi.MlirOperationGetAttributeByName(t, o.raw, name)
	o.touch()
	set(raw)
	if capi.MlirOperationGetAttributeByName(t, o.raw, name).Ptr != nil && !o.odd(name) {
		return
	}
	if before.Ptr != nil {
		capi.MlirOperationSetAttributeByName(t, o.raw, name, before)
	} else {
		capi.MlirOperationRemoveAttributeByName(t, o.raw, name)
	}
	panic(fmt.Sprintf("mlir: %s: the attribute %s of %s cannot be set to %s", method, name, o.Name(), a))
}

// RemoveAttribute removes the attribute with the given name and reports whether it existed.
// An inherent attribute with a default is set to the default. RemoveAttribute panics if the
// operation requires the attribute.
func (o Operation) RemoveAttribute(name string) bool {
	t := o.life.use("Operation.RemoveAttribute", o.raw.Ptr)
	o.touch()
	return o.remove("Operation.RemoveAttribute", name, func() bool {
		return capi.MlirOperationRemoveAttributeByName(t, o.raw, name)
	})
}

// Attributes returns an iterator over all attributes and their names, sorted by name.
func (o Operation) Attributes() iter.Seq2[string, Attribute] {
	return func(yield func(string, Attribute) bool) {
		t := o.life.use("Operation.Attributes", o.raw.Ptr)
		for i := 0; i < capi.MlirOperationGetNumAttributes(t, o.raw); i++ { // the loop may remove attributes
			named := capi.MlirOperationGetAttribute(t, o.raw, i)
			if !yield(o.life.ctx.text(named.Name), Attribute{o.life.ctx.life, named.Attribute}) {
				return
			}
		}
	}
}

// HasInherent reports whether the operation has an inherent attribute with the given name.
func (o Operation) HasInherent(name string) bool {
	o.life.use("Operation.HasInherent", o.raw.Ptr)
	return o.life.ctx.hasInherent(o.raw, name)
}

// hasInherent reports whether an operation has an inherent attribute with the given name. Those
// of the dialects of LoadIRDL have none, and the library ends the process if it is asked.
func (c *Context) hasInherent(op capi.MlirOperation, name string) bool {
	if len(c.defined) > 0 {
		dialect, _, _ := strings.Cut(capi.MlirIdentifierStr(c.api, capi.MlirOperationGetName(c.api, op)), ".")
		if c.defined[dialect] != nil {
			return false
		}
	}
	return capi.MlirOperationHasInherentAttributeByName(c.api, op, name)
}

// Inherent returns the inherent attribute with the given name, and whether it exists.
func (o Operation) Inherent(name string) (Attribute, bool) {
	if !o.HasInherent(name) {
		return Attribute{}, false
	}
	return o.optional(capi.MlirOperationGetInherentAttributeByName(o.life.ctx.api, o.raw, name))
}

// SetInherent sets an inherent attribute that the operation has. It panics if the operation
// has no inherent attribute with that name, or if a is of the wrong kind for it.
func (o Operation) SetInherent(name string, a Attribute) {
	if !o.HasInherent(name) {
		panic(fmt.Sprintf("mlir: Operation.SetInherent: %s has no inherent attribute %q", o.Name(), name))
	}
	o.set("Operation.SetInherent", name, a, func(raw capi.MlirAttribute) {
		capi.MlirOperationSetInherentAttributeByName(o.life.ctx.api, o.raw, name, raw)
	})
}

// Discardable returns the discardable attribute with the given name, and whether it exists.
func (o Operation) Discardable(name string) (Attribute, bool) {
	t := o.life.use("Operation.Discardable", o.raw.Ptr)
	return o.optional(capi.MlirOperationGetDiscardableAttributeByName(t, o.raw, name))
}

// SetDiscardable sets a discardable attribute. It panics if the name is that of an inherent
// attribute.
func (o Operation) SetDiscardable(name string, a Attribute) {
	t := o.life.use("Operation.SetDiscardable", o.raw.Ptr)
	raw := a.in(o.life.ctx, "Operation.SetDiscardable")
	o.checkSet("Operation.SetDiscardable", name)
	if o.HasInherent(name) {
		panic(fmt.Sprintf("mlir: Operation.SetDiscardable: %s of %s is an inherent attribute: use SetInherent", name,
			o.Name()))
	}
	o.touch()
	capi.MlirOperationSetDiscardableAttributeByName(t, o.raw, name, raw)
}

// RemoveDiscardable removes the discardable attribute with the given name and reports
// whether it existed. Some operations store inherent attributes with the discardable ones;
// RemoveDiscardable panics for such an attribute if the operation requires it.
func (o Operation) RemoveDiscardable(name string) bool {
	t := o.life.use("Operation.RemoveDiscardable", o.raw.Ptr)
	if capi.MlirOperationGetDiscardableAttributeByName(t, o.raw, name).Ptr == nil {
		return false
	}
	o.touch()
	return o.remove("Operation.RemoveDiscardable", name, func() bool {
		return capi.MlirOperationRemoveDiscardableAttributeByName(t, o.raw, name)
	})
}

// Discardables returns an iterator over the discardable attributes and their names, sorted
// by name.
func (o Operation) Discardables() iter.Seq2[string, Attribute] {
	return func(yield func(string, Attribute) bool) {
		t := o.life.use("Operation.Discardables", o.raw.Ptr)
		var all []NamedAttribute // copied, because the loop may set attributes, which moves the others
		for i := range capi.MlirOperationGetNumDiscardableAttributes(t, o.raw) {
			named := capi.MlirOperationGetDiscardableAttribute(t, o.raw, i)
			all = append(all, NamedAttribute{o.life.ctx.text(named.Name), Attribute{o.life.ctx.life, named.Attribute}})
		}
		for _, a := range all {
			if !yield(a.Name, a.Value) {
				return
			}
		}
	}
}

func (o Operation) optional(raw capi.MlirAttribute) (Attribute, bool) {
	if raw.Ptr == nil {
		return Attribute{}, false
	}
	return Attribute{o.life.ctx.life, raw}, true
}
