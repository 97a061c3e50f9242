package mlir

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// Signedness is the signedness of an integer type: i32, si32 or ui32.
type Signedness int

const (
	Signless Signedness = iota
	Signed
	Unsigned
)

func (s Signedness) String() string {
	switch s {
	case Signed:
		return "signed"
	case Unsigned:
		return "unsigned"
	}
	return "signless"
}

// IntegerType returns iN, siN or uiN. It panics if bits is not between 0 and 1<<24 - 1.
func (c *Context) IntegerType(bits int, s Signedness) Type {
	t := c.life.check("Context.IntegerType")
	if bits < 0 || bits >= 1<<24 { // the limit of MLIR's IntegerType
		panic(fmt.Sprintf("mlir: Context.IntegerType: %d is not a valid width: use 0 to 16777215", bits))
	}
	switch s {
	case Signed:
		return c.typ(capi.MlirIntegerTypeSignedGet(t, c.raw, uint32(bits)))
	case Unsigned:
		return c.typ(capi.MlirIntegerTypeUnsignedGet(t, c.raw, uint32(bits)))
	}
	return c.typ(capi.MlirIntegerTypeGet(t, c.raw, uint32(bits)))
}

// IndexType returns index.
func (c *Context) IndexType() Type {
	return c.typ(capi.MlirIndexTypeGet(c.life.check("Context.IndexType"), c.raw))
}

// NoneType returns none.
func (c *Context) NoneType() Type {
	return c.typ(capi.MlirNoneTypeGet(c.life.check("Context.NoneType"), c.raw))
}

// ComplexType returns complex<elem>. It returns an error if elem is not an integer or
// floating-point type.
func (c *Context) ComplexType(elem Type) (Type, error) {
	t := c.life.check("Context.ComplexType")
	raw := elem.in(c, "Context.ComplexType")
	if !capi.MlirTypeIsAInteger(t, raw) && !capi.MlirTypeIsAFloat(t, raw) {
		return Type{}, fmt.Errorf(
			"mlir: the element type of a complex type must be an integer or floating-point type, not %s", elem)
	}
	return c.typ(capi.MlirComplexTypeGet(t, raw)), nil
}

// IntegerWidth returns the number of bits and the signedness of an integer type. ok is
// false for any other type, index included.
func (t Type) IntegerWidth() (bits int, s Signedness, ok bool) {
	api := t.check("Type.IntegerWidth")
	if !capi.MlirTypeIsAInteger(api, t.raw) {
		return 0, Signless, false
	}
	switch {
	case capi.MlirIntegerTypeIsSigned(api, t.raw):
		s = Signed
	case capi.MlirIntegerTypeIsUnsigned(api, t.raw):
		s = Unsigned
	}
	return int(capi.MlirIntegerTypeGetWidth(api, t.raw)), s, true
}

// IsIndex reports whether t is the index type.
func (t Type) IsIndex() bool { return capi.MlirTypeIsAIndex(t.check("Type.IsIndex"), t.raw) }

// IsNone reports whether t is the none type.
func (t Type) IsNone() bool { return capi.MlirTypeIsANone(t.check("Type.IsNone"), t.raw) }

// ComplexElement returns the element type of a complex type, and whether t is one.
func (t Type) ComplexElement() (Type, bool) {
	api := t.check("Type.ComplexElement")
	if !capi.MlirTypeIsAComplex(api, t.raw) {
		return Type{}, false
	}
	return Type{t.life, capi.MlirComplexTypeGetElementType(api, t.raw)}, true
}
