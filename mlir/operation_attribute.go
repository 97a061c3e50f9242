package mlir

import (
	"fmt"
	"iter"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// An operation's attributes are of two kinds. Inherent ones belong to its definition,
// like func.func's sym_name; discardable ones were added by somebody else and have
// a dialect's prefix, like jax.buffer_donor.

// Attribute is the attribute of that name, inherent or discardable.
func (o Operation) Attribute(name string) (Attribute, bool) {
	t := o.life.use("Operation.Attribute", o.raw.Ptr)
	return o.optional(capi.MlirOperationGetAttributeByName(t, o.raw, name))
}

// SetAttribute sets the attribute of that name. It panics where the operation has an
// inherent attribute of that name which must be of another kind.
func (o Operation) SetAttribute(name string, a Attribute) {
	t := o.life.use("Operation.SetAttribute", o.raw.Ptr)
	o.set("Operation.SetAttribute", name, a, func(raw capi.MlirAttribute) {
		capi.MlirOperationSetAttributeByName(t, o.raw, name, raw)
	})
}

// set holds that the library has taken the attribute: it drops one of the wrong kind
// without a word, and an operation that lacks what it needs is the result.
func (o Operation) set(method, name string, a Attribute, set func(capi.MlirAttribute)) {
	t := o.life.ctx.api
	raw := a.in(o.life.ctx, method)
	if name == "" {
		panic("mlir: " + method + " was given an empty name")
	}
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
	panic(fmt.Sprintf("mlir: %s: the attribute %s of %s cannot be %s", method, name, o.Name(), a))
}

// RemoveAttribute removes the attribute of that name and reports whether there was one.
// One that has a default is set to that. It panics for an inherent one that the operation
// needs.
func (o Operation) RemoveAttribute(name string) bool {
	t := o.life.use("Operation.RemoveAttribute", o.raw.Ptr)
	o.touch()
	return o.remove("Operation.RemoveAttribute", name, func() bool {
		return capi.MlirOperationRemoveAttributeByName(t, o.raw, name)
	})
}

// Attributes iterates over all attributes, sorted by name.
func (o Operation) Attributes() iter.Seq2[string, Attribute] {
	return func(yield func(string, Attribute) bool) {
		t := o.life.use("Operation.Attributes", o.raw.Ptr)
		for i := 0; i < capi.MlirOperationGetNumAttributes(t, o.raw); i++ { // one may be removed meanwhile
			named := capi.MlirOperationGetAttribute(t, o.raw, i)
			if !yield(o.life.ctx.text(named.Name), Attribute{o.life.ctx.life, named.Attribute}) {
				return
			}
		}
	}
}

// HasInherent reports whether the operation has an inherent attribute of that name.
func (o Operation) HasInherent(name string) bool {
	t := o.life.use("Operation.HasInherent", o.raw.Ptr)
	return capi.MlirOperationHasInherentAttributeByName(t, o.raw, name)
}

// Inherent is the inherent attribute of that name.
func (o Operation) Inherent(name string) (Attribute, bool) {
	if !o.HasInherent(name) {
		return Attribute{}, false
	}
	return o.optional(capi.MlirOperationGetInherentAttributeByName(o.life.ctx.api, o.raw, name))
}

// SetInherent sets an inherent attribute that the operation has. It panics where it
// has none of that name, or one that must be of another kind.
func (o Operation) SetInherent(name string, a Attribute) {
	if !o.HasInherent(name) {
		panic(fmt.Sprintf("mlir: Operation.SetInherent: %s has no inherent attribute %q", o.Name(), name))
	}
	o.set("Operation.SetInherent", name, a, func(raw capi.MlirAttribute) {
		capi.MlirOperationSetInherentAttributeByName(o.life.ctx.api, o.raw, name, raw)
	})
}

// Discardable is the discardable attribute of that name.
func (o Operation) Discardable(name string) (Attribute, bool) {
	t := o.life.use("Operation.Discardable", o.raw.Ptr)
	return o.optional(capi.MlirOperationGetDiscardableAttributeByName(t, o.raw, name))
}

// SetDiscardable sets a discardable attribute. It panics for the name of an inherent
// one.
func (o Operation) SetDiscardable(name string, a Attribute) {
	t := o.life.use("Operation.SetDiscardable", o.raw.Ptr)
	raw := a.in(o.life.ctx, "Operation.SetDiscardable")
	if o.HasInherent(name) {
		panic(fmt.Sprintf("mlir: Operation.SetDiscardable: %s of %s is an inherent attribute: use SetInherent", name, o.Name()))
	}
	o.touch()
	capi.MlirOperationSetDiscardableAttributeByName(t, o.raw, name, raw)
}

// RemoveDiscardable removes the discardable attribute of that name and reports
// whether there was one. Of an operation that keeps inherent attributes with them, it
// panics for one that the operation needs.
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

// Discardables iterates over the discardable attributes, sorted by name.
func (o Operation) Discardables() iter.Seq2[string, Attribute] {
	return func(yield func(string, Attribute) bool) {
		t := o.life.use("Operation.Discardables", o.raw.Ptr)
		var all []NamedAttribute // setting one while iterating moves the others
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
