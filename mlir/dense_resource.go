package mlir

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"runtime"
	"strings"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// ResourceOptions are the settings of a resource's memory.
type ResourceOptions struct {
	// Alignment is a power of two that the memory is aligned to. Zero means the alignment
	// of the elements.
	Alignment int
	// Released is called when the context does not need the memory any more, at the latest
	// when it is closed. It may be called on any goroutine and must not use the context.
	Released func()
}

// NewResource returns dense_resource<name> : t, whose elements remain in the memory of
// values: they are not copied. The caller must not write to values before o.Released is
// called; until then Go's garbage collector keeps them. T must hold the bits of t's
// elements (see DenseElement) and cannot be string. If the name is in use, a number is
// appended to it. MLIR prints the elements at the end of a module.
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
		return Attribute{}, fmt.Errorf("mlir: %T does not hold an element of %s", *new(T), t)
	}
	if int64(len(values)) != n {
		return Attribute{}, fmt.Errorf("mlir: %d values cannot fill %s, which has %d elements", len(values), t, n)
	}
	if t.IsScalable() {
		return Attribute{}, fmt.Errorf("mlir: the number of elements of %s is unknown: a resource cannot fill it", t)
	}
	if name == "" || strings.ContainsRune(name, 0) {
		return Attribute{},
			fmt.Errorf("mlir: %q is not a valid resource name: it must not be empty or contain a NUL byte", name)
	}
	alignment := max(o.Alignment, int(unsafe.Alignof(*new(T))))
	data := pointer(unsafe.SliceData(values))
	if bits.OnesCount(uint(alignment)) != 1 || uintptr(data)%uintptr(alignment) != 0 {
		return Attribute{},
			fmt.Errorf("mlir: the memory of resource %q is not aligned to %d bytes, or that is not a power of two", name, alignment)
	}
	pins := new(runtime.Pinner)
	if data != nil {
		pins.Pin(data)
	}
	size := len(values) * int(unsafe.Sizeof(*new(T)))
	return c.attribute(capi.NewResource(c.api, raw, name, data, size, alignment, false, func() {
		pins.Unpin()
		if o.Released != nil {
			o.Released()
		}
	})), nil
}

// ResourceName returns the name of the resource of dense resource elements, and whether a
// is such an attribute.
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

// ResourceBytes returns a copy of the memory of dense resource elements, with one byte for
// an element of fewer than eight bits. It returns an error if the resource has no data.
func (a Attribute) ResourceBytes() ([]byte, error) {
	a.check("Attribute.ResourceBytes")
	name, ok := a.ResourceName()
	if !ok {
		return nil, fmt.Errorf("mlir: a %s attribute is not in a resource", a.Kind())
	}
	t, _ := a.Type()
	n, known := t.NumElements()
	elem, _ := t.Element()
	l, hasLayout := elementLayout(elem)
	if !known || !hasLayout {
		return nil, fmt.Errorf("mlir: cannot read resource %q as bytes of %s", name, t)
	}
	if n == 0 {
		return []byte{}, nil
	}
	// The C API reads a resource without checking that it exists, and has no function that
	// checks it. The text of a module contains the bytes of a resource only if it has
	// data.
	m := a.life.ctx.NewModule(Location{})
	defer m.Close()
	m.Operation().SetAttribute("builtin.resource", a)
	_, text, ok := strings.Cut(m.String(), "\n{-#")
	if !ok {
		return nil, fmt.Errorf("mlir: the resource %q has no data", name)
	}
	_, text, _ = strings.Cut(text, "builtin: {")
	_, text, ok = strings.Cut(text, `"0x`)
	digits, _, closed := strings.Cut(text, `"`)
	if !ok || !closed {
		return nil, fmt.Errorf("mlir: the resource %q has no data", name)
	}
	// The first four bytes are the alignment.
	data, err := hex.DecodeString(digits)
	if err != nil || len(data) < 4 || bits.OnesCount32(binary.LittleEndian.Uint32(data)) > 1 {
		return nil, fmt.Errorf("mlir: cannot read the bytes of the resource %q", name)
	}
	if !sizeIs(len(data)-4, n, l.bytes) {
		return nil, fmt.Errorf("mlir: the resource %q has %d bytes, which cannot fill %s", name, len(data)-4, t)
	}
	return data[4:], nil
}
