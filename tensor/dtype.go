package tensor

import "fmt"

// A DType is the type of an array's elements. The zero value is Invalid.
type DType uint8

// These are the element types of StableHLO (specification, section Types). Pred is boolean,
// S… and U… are signed and unsigned integers, F… and BF16 are floating point, and C… are
// complex numbers. Token is not an array; it stands for a token in a signature.
const (
	Invalid DType = iota
	Pred
	S2
	S4
	S8
	S16
	S32
	S64
	U2
	U4
	U8
	U16
	U32
	U64
	F16
	BF16
	F32
	F64
	F8E5M2
	F8E4M3
	F8E4M3FN
	F8E4M3B11FNUZ
	F8E5M2FNUZ
	F8E4M3FNUZ
	F8E3M4
	F4E2M1FN
	F8E8M0FNU
	C64
	C128
	Token
	count
)

// facts holds, for each type, XLA's spelling, MLIR's spelling, the bits of one element, and
// the bytes that it takes in a host array. Elements of less than a byte take a whole byte
// there, as in XLA's host literals.
var facts = [count]struct {
	name, mlir string
	bits, size int
}{
	Invalid:       {"invalid", "invalid", 0, 0},
	Pred:          {"pred", "i1", 1, 1},
	S2:            {"s2", "i2", 2, 1},
	S4:            {"s4", "i4", 4, 1},
	S8:            {"s8", "i8", 8, 1},
	S16:           {"s16", "i16", 16, 2},
	S32:           {"s32", "i32", 32, 4},
	S64:           {"s64", "i64", 64, 8},
	U2:            {"u2", "ui2", 2, 1},
	U4:            {"u4", "ui4", 4, 1},
	U8:            {"u8", "ui8", 8, 1},
	U16:           {"u16", "ui16", 16, 2},
	U32:           {"u32", "ui32", 32, 4},
	U64:           {"u64", "ui64", 64, 8},
	F16:           {"f16", "f16", 16, 2},
	BF16:          {"bf16", "bf16", 16, 2},
	F32:           {"f32", "f32", 32, 4},
	F64:           {"f64", "f64", 64, 8},
	F8E5M2:        {"f8e5m2", "f8E5M2", 8, 1},
	F8E4M3:        {"f8e4m3", "f8E4M3", 8, 1},
	F8E4M3FN:      {"f8e4m3fn", "f8E4M3FN", 8, 1},
	F8E4M3B11FNUZ: {"f8e4m3b11fnuz", "f8E4M3B11FNUZ", 8, 1},
	F8E5M2FNUZ:    {"f8e5m2fnuz", "f8E5M2FNUZ", 8, 1},
	F8E4M3FNUZ:    {"f8e4m3fnuz", "f8E4M3FNUZ", 8, 1},
	F8E3M4:        {"f8e3m4", "f8E3M4", 8, 1},
	F4E2M1FN:      {"f4e2m1fn", "f4E2M1FN", 4, 1},
	F8E8M0FNU:     {"f8e8m0fnu", "f8E8M0FNU", 8, 1},
	C64:           {"c64", "complex<f32>", 64, 8},
	C128:          {"c128", "complex<f64>", 128, 16},
	Token:         {"token", "!stablehlo.token", 0, 0},
}

var (
	byName = index(func(d DType) string { return facts[d].name })
	byMLIR = index(func(d DType) string { return facts[d].mlir })
)

func index(key func(DType) string) map[string]DType {
	m := make(map[string]DType, count)
	for d := Invalid + 1; d < count; d++ {
		m[key(d)] = d
	}
	return m
}

// DTypes returns every element type except Token and Invalid.
func DTypes() []DType {
	var out []DType
	for d := Invalid + 1; d < Token; d++ {
		out = append(out, d)
	}
	return out
}

// String returns XLA's spelling: pred, s32, u8, f32, bf16, f8e4m3fn, c64 …
func (d DType) String() string {
	if d >= count {
		return fmt.Sprintf("dtype(%d)", uint8(d))
	}
	return facts[d].name
}

// MLIR returns MLIR's spelling: i1, i32, ui8, f32, bf16, f8E4M3FN, complex<f32> … Signed
// integers are signless in StableHLO.
func (d DType) MLIR() string {
	if d >= count {
		return d.String()
	}
	return facts[d].mlir
}

// Bits returns the width of one element in bits, or 0 for Invalid and Token.
func (d DType) Bits() int {
	if d >= count {
		return 0
	}
	return facts[d].bits
}

// Size returns the number of bytes that one element takes in a host array: at least one,
// even for elements of two or four bits. It is 0 for Invalid and Token.
func (d DType) Size() int {
	if d >= count {
		return 0
	}
	return facts[d].size
}

// ParseDType parses XLA's spelling.
func ParseDType(name string) (DType, error) {
	if d, ok := byName[name]; ok {
		return d, nil
	}
	return Invalid, fmt.Errorf("tensor: %q is not an element type; known are pred, s8, s32, u8, f16, bf16, f32, f64, c64 and the like", name)
}

// DTypeFromMLIR parses MLIR's spelling.
func DTypeFromMLIR(name string) (DType, error) {
	if d, ok := byMLIR[name]; ok {
		return d, nil
	}
	return Invalid, fmt.Errorf("tensor: the MLIR type %s is not an element type of an array", name)
}

// Element lists the Go types of elements. The floating-point types of eight bits and fewer
// and the integers of less than a byte have no Go type: use their bytes in View.Data.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 |
		float32 | float64 | complex64 | complex128 | Float16 | BFloat16
}

// DTypeOf returns the element type of a Go type.
func DTypeOf[T Element]() DType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return Pred
	case int8:
		return S8
	case int16:
		return S16
	case int32:
		return S32
	case int64:
		return S64
	case uint8:
		return U8
	case uint16:
		return U16
	case uint32:
		return U32
	case uint64:
		return U64
	case float32:
		return F32
	case float64:
		return F64
	case complex64:
		return C64
	case complex128:
		return C128
	case Float16:
		return F16
	}
	return BF16
}
