package mlir

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A FloatKind is one of MLIR's floating-point formats. The documentation of the builtin
// dialect explains the names: the digits after E and M are the bits of exponent and
// mantissa, F means finite only, N no infinity but NaN, UZ no negative zero.
type FloatKind int

const (
	F16 FloatKind = iota + 1
	BF16
	F32
	F64
	TF32
	F80
	F128
	F4E2M1FN
	F6E2M3FN
	F6E3M2FN
	F8E5M2
	F8E4M3
	F8E4M3FN
	F8E5M2FNUZ
	F8E4M3FNUZ
	F8E4M3B11FNUZ
	F8E3M4
	F8E8M0FNU
	F8E5M3FNU // in the default library and IREE's
)

// floats holds the C functions of each kind. F80 and F128 have none; they are identified
// by their text.
var floats = [...]struct {
	name string
	bits int
	c    string // in the names of the C functions
	get  func(*capi.Table, capi.MlirContext) capi.MlirType
	is   func(*capi.Table, capi.MlirType) bool
}{
	F16:        {"f16", 16, "F16", capi.MlirF16TypeGet, capi.MlirTypeIsAF16},
	BF16:       {"bf16", 16, "BF16", capi.MlirBF16TypeGet, capi.MlirTypeIsABF16},
	F32:        {"f32", 32, "F32", capi.MlirF32TypeGet, capi.MlirTypeIsAF32},
	F64:        {"f64", 64, "F64", capi.MlirF64TypeGet, capi.MlirTypeIsAF64},
	TF32:       {"tf32", 19, "TF32", capi.MlirTF32TypeGet, capi.MlirTypeIsATF32},
	F80:        {name: "f80", bits: 80},
	F128:       {name: "f128", bits: 128},
	F4E2M1FN:   {"f4E2M1FN", 4, "Float4E2M1FN", capi.MlirFloat4E2M1FNTypeGet, capi.MlirTypeIsAFloat4E2M1FN},
	F6E2M3FN:   {"f6E2M3FN", 6, "Float6E2M3FN", capi.MlirFloat6E2M3FNTypeGet, capi.MlirTypeIsAFloat6E2M3FN},
	F6E3M2FN:   {"f6E3M2FN", 6, "Float6E3M2FN", capi.MlirFloat6E3M2FNTypeGet, capi.MlirTypeIsAFloat6E3M2FN},
	F8E5M2:     {"f8E5M2", 8, "Float8E5M2", capi.MlirFloat8E5M2TypeGet, capi.MlirTypeIsAFloat8E5M2},
	F8E4M3:     {"f8E4M3", 8, "Float8E4M3", capi.MlirFloat8E4M3TypeGet, capi.MlirTypeIsAFloat8E4M3},
	F8E4M3FN:   {"f8E4M3FN", 8, "Float8E4M3FN", capi.MlirFloat8E4M3FNTypeGet, capi.MlirTypeIsAFloat8E4M3FN},
	F8E5M2FNUZ: {"f8E5M2FNUZ", 8, "Float8E5M2FNUZ", capi.MlirFloat8E5M2FNUZTypeGet, capi.MlirTypeIsAFloat8E5M2FNUZ},
	F8E4M3FNUZ: {"f8E4M3FNUZ", 8, "Float8E4M3FNUZ", capi.MlirFloat8E4M3FNUZTypeGet, capi.MlirTypeIsAFloat8E4M3FNUZ},
	F8E4M3B11FNUZ: {"f8E4M3B11FNUZ", 8, "Float8E4M3B11FNUZ", capi.MlirFloat8E4M3B11FNUZTypeGet,
		capi.MlirTypeIsAFloat8E4M3B11FNUZ},
	F8E3M4:    {"f8E3M4", 8, "Float8E3M4", capi.MlirFloat8E3M4TypeGet, capi.MlirTypeIsAFloat8E3M4},
	F8E8M0FNU: {"f8E8M0FNU", 8, "Float8E8M0FNU", capi.MlirFloat8E8M0FNUTypeGet, capi.MlirTypeIsAFloat8E8M0FNU},
	F8E5M3FNU: {"f8E5M3FNU", 8, "Float8E5M3FNU", capi.MlirFloat8E5M3FNUTypeGet, capi.MlirTypeIsAFloat8E5M3FNU},
}

func (k FloatKind) known() bool { return k >= F16 && int(k) < len(floats) }

// String returns MLIR's name of the type, for example "f8E4M3FN".
func (k FloatKind) String() string {
	if !k.known() {
		return fmt.Sprintf("float kind %d", int(k))
	}
	return floats[k].name
}

// Bits returns the width of the format in bits.
func (k FloatKind) Bits() int {
	if !k.known() {
		return 0
	}
	return floats[k].bits
}

// FloatKinds returns all floating-point formats. A library may lack some of them.
func FloatKinds() []FloatKind {
	var kinds []FloatKind
	for k := F16; k.known(); k++ {
		kinds = append(kinds, k)
	}
	return kinds
}

// FloatType returns the floating-point type of kind k. It returns an *UnsupportedError if
// the library does not have the format.
func (c *Context) FloatType(k FloatKind) (Type, error) {
	t := c.life.check("Context.FloatType")
	if !k.known() {
		return Type{},
			fmt.Errorf("mlir: %s is not a floating-point format: use one of the constants F16 to F8E8M0FNU", k)
	}
	f := floats[k]
	if f.get == nil {
		return c.ParseType(f.name)
	}
	if err := c.lib.need("mlir" + f.c + "TypeGet"); err != nil {
		return Type{}, err
	}
	return c.typ(f.get(t, c.raw)), nil
}

// F32Type returns f32.
func (c *Context) F32Type() Type {
	return c.typ(capi.MlirF32TypeGet(c.life.check("Context.F32Type"), c.raw))
}

// F64Type returns f64.
func (c *Context) F64Type() Type {
	return c.typ(capi.MlirF64TypeGet(c.life.check("Context.F64Type"), c.raw))
}

// IsFloat reports whether t is a floating-point type.
func (t Type) IsFloat() bool { return capi.MlirTypeIsAFloat(t.check("Type.IsFloat"), t.raw) }

// FloatKind returns the format of a floating-point type, and whether t is one.
func (t Type) FloatKind() (FloatKind, bool) {
	api := t.check("Type.FloatKind")
	if !capi.MlirTypeIsAFloat(api, t.raw) {
		return 0, false
	}
	for k := F16; k.known(); k++ {
		f := floats[k]
		if f.is != nil && api.Has("mlirTypeIsA"+f.c) && f.is(api, t.raw) {
			return k, true
		}
	}
	// No function identifies F80 and F128. Their widths differ.
	if capi.MlirFloatTypeGetWidth(api, t.raw) == 80 {
		return F80, true
	}
	return F128, true
}
