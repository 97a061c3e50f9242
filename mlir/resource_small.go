package mlir

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// The library does not read every resource. Passes and translations take the only element of one by an iterator that
// resources do not have, which reports an error without end, or crashes. They divide by the size of an empty one, and
// its bytecode cannot be read again. So few elements need no resource.

// smallResources returns the resources of at most one element of an operation, and of those in its regions.
func (c *Context) smallResources(op capi.MlirOperation) []capi.MlirAttribute {
	return slices.DeleteFunc(capi.ResourcesIn(c.api, op), func(a capi.MlirAttribute) bool {
		n, known := c.typ(capi.MlirAttributeGetType(c.api, a)).NumElements()
		return !known || n > 1
	})
}

// inlineResources gives an operation, and those in its regions, the elements of small resources in place of them.
func (c *Context) inlineResources(op capi.MlirOperation) error {
	small := c.smallResources(op)
	if len(small) == 0 {
		return nil
	}
	for o := range c.operation(op).All() {
		for name, a := range o.Attributes() {
			with, err := a.inlined(small)
			if err != nil {
				return fmt.Errorf("%s at %s: %w: the library cannot use it", o.Name(), o.Location().Position(), err)
			}
			if with.raw != a.raw {
				o.SetAttribute(name, with)
			}
		}
	}
	return nil
}

// inlined returns an attribute in which dense elements replace resources.
func (a Attribute) inlined(resources []capi.MlirAttribute) (Attribute, error) {
	if slices.Contains(resources, a.raw) {
		data, err := a.ResourceBytes()
		if err != nil {
			return a, err
		}
		t, _ := a.Type()
		return a.Context().DenseAttribute(t, data)
	}
	elements, ok := a.Elements()
	if !ok {
		return a, nil
	}
	changed := false
	for i, e := range elements {
		with, err := e.inlined(resources)
		if err != nil {
			return a, err
		}
		changed = changed || with.raw != e.raw
		elements[i] = with
	}
	if !changed {
		return a, nil
	}
	return a.Context().ArrayAttribute(elements...), nil
}

// withoutSmallResources returns the module, or a copy in which small resources are dense elements, and a function that
// frees the copy.
func (m *Module) withoutSmallResources() (*Module, func(), error) {
	if len(m.ctx.smallResources(m.operation().raw)) == 0 {
		return m, func() {}, nil
	}
	with := m.Clone()
	if err := m.ctx.inlineResources(with.operation().raw); err != nil {
		with.Close()
		return nil, nil, err
	}
	return with, func() { with.Close() }, nil
}
