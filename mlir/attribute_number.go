package mlir

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// BoolAttribute returns true or false.
func (c *Context) BoolAttribute(b bool) Attribute {
	return c.attribute(capi.MlirBoolAttrGet(c.life.check("Context.BoolAttribute"), c.raw, cBool(b)))
}

func cBool(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// IntegerAttribute returns v : t. It panics if t is not an integer or index type, or if v
// does not fit in t. A signless type holds both signed and unsigned values.
func (c *Context) IntegerAttribute(t Type, v int64) Attribute {
	api := c.life.check("Context.IntegerAttribute")
	raw := t.in(c, "Context.IntegerAttribute")
	if !capi.MlirTypeIsAIndex(api, raw) {
		bits, s, ok := t.IntegerWidth()
		if !ok {
			panic("mlir: Context.IntegerAttribute was given the type " + t.String() +
				", which is not an integer or index type")
		}
		if !fitsInteger(v, bits, s) {
			panic(fmt.Sprintf("mlir: Context.IntegerAttribute: %d does not fit in %s", v, t))
		}
		if bits > 64 && v < 0 { // the library would treat it as unsigned
			if a, err := c.BigIntegerAttribute(t, big.NewInt(v)); err == nil {
				return a
			}
		}
	}
	return c.attribute(capi.MlirIntegerAttrGet(api, raw, v))
}

func fitsInteger(v int64, bits int, s Signedness) bool {
	switch {
	case bits == 0:
		return v == 0
	case s == Unsigned && v < 0:
		return false
	case bits >= 64:
		return true
	}
	low, high := -int64(1)<<(bits-1), int64(1)<<bits-1
	if s == Signed {
		high >>= 1
	}
	return low <= v && v <= high
}

// BigIntegerAttribute returns v : t. The integer type t may have any width.
func (c *Context) BigIntegerAttribute(t Type, v *big.Int) (Attribute, error) {
	c.life.check("Context.BigIntegerAttribute")
	t.in(c, "Context.BigIntegerAttribute")
	if _, _, ok := t.IntegerWidth(); !ok && !t.IsIndex() {
		return Attribute{}, fmt.Errorf("mlir: %s is not an integer or index type", t)
	}
	// The C API has no integers above 64 bits; MLIR's text format has.
	return c.ParseAttribute(v.String() + " : " + t.String())
}

// FloatAttribute returns v : t, rounded to the format of the floating-point type t. It
// panics if t is not such a type, or if the format cannot represent v: f4E2M1FN, f6E2M3FN
// and f6E3M2FN have no NaN or infinity, and f8E8M0FNU takes only finite numbers above zero
// (some libraries turn its NaN into infinity), and f8E5M3FNU takes only finite numbers without a
// sign.
func (c *Context) FloatAttribute(t Type, v float64) Attribute {
	api := c.life.check("Context.FloatAttribute")
	raw := t.in(c, "Context.FloatAttribute")
	kind, ok := t.FloatKind()
	if !ok {
		panic("mlir: Context.FloatAttribute was given the type " + t.String() + ", which is not a floating-point type")
	}
	if !kind.holds(v) {
		panic(fmt.Sprintf("mlir: Context.FloatAttribute: %s cannot represent %v", t, v))
	}
	return c.attribute(capi.MlirFloatAttrDoubleGet(api, c.raw, raw, v))
}

// holds returns false if the format cannot represent v and the library does not report it.
func (k FloatKind) holds(v float64) bool {
	finite := !math.IsNaN(v) && !math.IsInf(v, 0)
	switch k {
	case F4E2M1FN, F6E2M3FN, F6E3M2FN:
		return finite
	case F8E8M0FNU:
		return finite && v > 0
	case F8E5M3FNU:
		return finite && !math.Signbit(v)
	}
	return true
}

// Bool returns the value of a boolean attribute. ok is false for any other attribute.
func (a Attribute) Bool() (value, ok bool) {
	api := a.check("Attribute.Bool")
	if !capi.MlirAttributeIsABool(api, a.raw) {
		return false, false
	}
	return capi.MlirBoolAttrGetValue(api, a.raw), true
}

// Int returns the value of an integer attribute of at most 64 bits, and whether a is one.
func (a Attribute) Int() (int64, bool) {
	api := a.check("Attribute.Int")
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

// Uint returns the value of an integer attribute of at most 64 bits, with its bits taken
// as an unsigned number, and whether a is one.
func (a Attribute) Uint() (uint64, bool) {
	v, ok := a.Int()
	if !ok {
		return 0, false
	}
	typ, _ := a.Type()
	if bits, _, isInteger := typ.IntegerWidth(); isInteger && bits < 64 {
		return uint64(v) & (1<<bits - 1), true
	}
	return uint64(v), true
}

// BigInt returns the value of an integer attribute of any width, and whether a is one.
func (a Attribute) BigInt() (*big.Int, bool) {
	api := a.check("Attribute.BigInt")
	if !capi.MlirAttributeIsAInteger(api, a.raw) {
		return nil, false
	}
	if v, ok := a.Bool(); ok {
		return big.NewInt(-int64(cBool(v))), true // one signed bit, as in Int
	}
	digits, _, _ := strings.Cut(a.String(), " : ")
	return new(big.Int).SetString(digits, 10)
}

// Float returns the value of a floating-point attribute, and whether a is one. The value
// is rounded to float64 if its format is wider.
func (a Attribute) Float() (float64, bool) {
	api := a.check("Attribute.Float")
	if !capi.MlirAttributeIsAFloat(api, a.raw) {
		return 0, false
	}
	return capi.MlirFloatAttrGetValueDouble(api, a.raw), true
}
