package mlir

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"strings"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// ResourceOptions say how a resource's memory is kept.
type ResourceOptions struct {
	// Mutable lets MLIR write to the memory.
	Mutable bool
	// Alignment is a power of two that the memory is aligned to. Zero is what the
	// elements need.
	Alignment int
	// Released is called once the context does not need the memory any more, at the
	// latest when it is closed. It may be called on any goroutine and must not use
	// the context.
	Released func()
}

// NewResource is dense_resource<name> : t, elements that stay in the given memory: it
// is not copied, and may not be written to until o.Released was called (Go's collector
// keeps it until then). T must hold the bits of t's elements (see DenseElement) and is
// no string. A name that is taken is made a new one by a number at its end. Printed,
// the elements stand at the end of a module.
func NewResource[T DenseElement](t Type, name string, values []T, o ResourceOptions) (Attribute, error) {
	t.check("NewResource")
	c := t.life.ctx
	raw, elem, n, err := c.denseType(t, "NewResource")
	if err != nil {
		return Attribute{}, err
	}
	if err := c.lib.need("mlirUnmanagedDenseResourceElementsAttrGet"); err != nil {
		return Attribute{}, err
	}
	l, hasLayout := elementLayout(elem)
	if !hasLayout || !fits[T](l, hasLayout) {
		return Attribute{}, fmt.Errorf("mlir: a %T does not hold an element of %s", *new(T), t)
	}
	if int64(len(values)) != n {
		return Attribute{}, fmt.Errorf("mlir: %d values do not fill %s, which has %d elements", len(values), t, n)
	}
	if t.IsScalable() {
		return Attribute{}, fmt.Errorf("mlir: how many elements %s has is not known: a resource cannot fill it", t)
	}
	if name == "" || strings.ContainsRune(name, 0) {
		return Attribute{}, fmt.Errorf("mlir: a resource cannot have the name %q", name)
	}
	alignment := max(o.Alignment, int(unsafe.Alignof(*new(T))))
	data := pointer(unsafe.SliceData(values))
	if bits.OnesCount(uint(alignment)) != 1 || uintptr(data)%uintptr(alignment) != 0 {
		return Attribute{}, fmt.Errorf("mlir: the memory of resource %q is not aligned to %d bytes", name, alignment)
	}
	pins := new(runtime.Pinner)
	if data != nil {
		pins.Pin(data)
	}
	size := len(values) * int(unsafe.Sizeof(*new(T)))
	return c.attribute(capi.NewResource(c.api, raw, name, data, size, alignment, o.Mutable, func() {
		pins.Unpin()
		if o.Released != nil {
			o.Released()
		}
	})), nil
}

// ResourceName is the name of the resource that dense resource elements are in; false
// for any other attribute.
func (a Attribute) ResourceName() (string, bool) {
	a.check("Attribute.ResourceName")
	if a.Kind() != AttrResource {
		return "", false
	}
	text := strings.TrimPrefix(a.String(), "dense_resource<")
	t, _ := a.Type()
	text = strings.TrimSuffix(text, "> : "+t.String())
	if strings.HasPrefix(text, `"`) {
		text = unescape(strings.Trim(text, `"`))
	}
	return text, true
}

// ResourceBytes is a copy of the memory of dense resource elements, one byte for an
// element of fewer than eight bits. It is an error where the attribute only names a
// resource that nothing was given for.
func (a Attribute) ResourceBytes() ([]byte, error) {
	a.check("Attribute.ResourceBytes")
	name, ok := a.ResourceName()
	if !ok {
		return nil, fmt.Errorf("mlir: a %s attribute is in no resource", a.Kind())
	}
	t, _ := a.Type()
	n, known := t.NumElements()
	elem, _ := t.Element()
	l, hasLayout := elementLayout(elem)
	if !known || !hasLayout {
		return nil, fmt.Errorf("mlir: resource %q has no bytes for %s", name, t)
	}
	if n == 0 {
		return []byte{}, nil
	}
	// The C API reads a resource without asking whether there is one, and has no way
	// to ask. The text of a module has its bytes, and only where there are some.
	m := a.life.ctx.NewModule(Location{})
	defer m.Close()
	m.Operation().SetAttribute("builtin.resource", a)
	_, text, ok := strings.Cut(m.String(), "\n{-#")
	if !ok {
		return nil, fmt.Errorf("mlir: nothing was given for the resource %q", name)
	}
	_, text, _ = strings.Cut(text, "builtin: {")
	_, text, ok = strings.Cut(text, `"0x`)
	digits, _, closed := strings.Cut(text, `"`)
	if !ok || !closed {
		return nil, fmt.Errorf("mlir: nothing was given for the resource %q", name)
	}
	// The alignment stands in the first four bytes.
	data, err := hex.DecodeString(digits)
	if err != nil || len(data) < 4 || bits.OnesCount32(binary.LittleEndian.Uint32(data)) > 1 {
		return nil, errors.New("mlir: the bytes of the resource " + name + " cannot be read")
	}
	if !sizeIs(len(data)-4, n, l.bytes) {
		return nil, fmt.Errorf("mlir: the resource %q has %d bytes, which do not fill %s", name, len(data)-4, t)
	}
	return data[4:], nil
}
