package npz

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

// stored describes how a file stores an element type.
type stored struct {
	dtype  tensor.DType
	name   string // in the entry "dtypes": the name in NumPy or in Python's ml_dtypes
	code   string // kind and size in bytes, as in a header's descr
	native bool   // NumPy has the type itself
}

var table = []stored{
	{tensor.Pred, "bool", "b1", true},
	{tensor.S8, "int8", "i1", true},
	{tensor.S16, "int16", "i2", true},
	{tensor.S32, "int32", "i4", true},
	{tensor.S64, "int64", "i8", true},
	{tensor.U8, "uint8", "u1", true},
	{tensor.U16, "uint16", "u2", true},
	{tensor.U32, "uint32", "u4", true},
	{tensor.U64, "uint64", "u8", true},
	{tensor.F16, "float16", "f2", true},
	{tensor.F32, "float32", "f4", true},
	{tensor.F64, "float64", "f8", true},
	{tensor.C64, "complex64", "c8", true},
	{tensor.C128, "complex128", "c16", true},
	{tensor.S2, "int2", "i1", false},
	{tensor.S4, "int4", "i1", false},
	{tensor.U2, "uint2", "u1", false},
	{tensor.U4, "uint4", "u1", false},
	{tensor.BF16, "bfloat16", "u2", false},
	{tensor.F8E5M2, "float8_e5m2", "u1", false},
	{tensor.F8E4M3, "float8_e4m3", "u1", false},
	{tensor.F8E4M3FN, "float8_e4m3fn", "u1", false},
	{tensor.F8E4M3B11FNUZ, "float8_e4m3b11fnuz", "u1", false},
	{tensor.F8E5M2FNUZ, "float8_e5m2fnuz", "u1", false},
	{tensor.F8E4M3FNUZ, "float8_e4m3fnuz", "u1", false},
	{tensor.F8E3M4, "float8_e3m4", "u1", false},
	{tensor.F4E2M1FN, "float4_e2m1fn", "u1", false},
	{tensor.F8E8M0FNU, "float8_e8m0fnu", "u1", false},
}

func find(match func(stored) bool) (stored, bool) {
	for _, s := range table {
		if match(s) {
			return s, true
		}
	}
	return stored{}, false
}

func ofDType(d tensor.DType) (stored, bool) {
	return find(func(s stored) bool { return s.dtype == d })
}

// ofDescr reads a header's descr, such as "<f4". Python's ml_dtypes writes its types as
// void of their size, one as "f1". Both are handled like integers here.
func ofDescr(descr string) (s stored, bigEndian bool, err error) {
	code := strings.TrimLeft(descr, "<>=|")
	order := strings.TrimSuffix(descr, code)
	switch code {
	case "V1", "f1":
		code = "u1"
	case "V2":
		code = "u2"
	}
	s, ok := find(func(s stored) bool { return s.code == code })
	if !ok || len(order) > 1 {
		return stored{}, false, fmt.Errorf("its element type %q is not supported: use booleans, integers, float16 to float64 or complex numbers", descr)
	}
	return s, order == ">" || order != "<" && hostIsBigEndian, nil
}

// A Header describes an array in a file.
type Header struct {
	Shape tensor.Shape
	// Declared reports whether the file's entry "dtypes" named the element type.
	Declared bool
}

// An Array is an array as the file stores it.
type Array struct {
	View     tensor.View
	Declared bool // as in Header
}

// ErrType is the error of As if the array's elements have another type.
var ErrType = errors.New("another element type")

// Fits returns ErrType if As cannot return the array with elements of that type.
func (h Header) Fits(want tensor.DType) error {
	have := h.Shape.DType
	if have == want {
		return nil
	}
	s, known := ofDType(want)
	integer := strings.ContainsRune("su", rune(have.String()[0]))
	if !known || s.native || h.Declared || !integer || have.Size() != want.Size() {
		return fmt.Errorf("%w: it is %s, not %s", ErrType, have, want)
	}
	return nil
}

// As returns the array with elements of the wanted type. Its own type must be the wanted
// one. If NumPy lacks the wanted type and the file does not declare another one, integers
// of the same width are accepted as its bits. As never converts elements.
func (a Array) As(want tensor.DType) (tensor.View, error) {
	if err := (Header{a.View.Shape, a.Declared}).Fits(want); err != nil {
		return tensor.View{}, err
	}
	v := tensor.View{Shape: tensor.Shape{DType: want, Dims: a.View.Shape.Dims}, Data: a.View.Data}
	if a.View.Shape.DType == tensor.U8 && (want == tensor.S2 || want == tensor.S4) {
		v.Data = signExtended(v.Data, want.Bits())
	}
	if i := outOfRange(v); i >= 0 {
		return tensor.View{}, fmt.Errorf("its element %d does not fit into %s, which has %d bits", i, want, want.Bits())
	}
	return v, nil
}

// signExtended returns integers of a byte each, in which the bits above those of an element are its sign. The ones of
// Python's ml_dtypes, which are void in a file, are zeros.
func signExtended(data []byte, bits int) []byte {
	extended := slices.Clone(data)
	for i, b := range data {
		if b>>bits == 0 {
			extended[i] = byte(int8(b<<(8-bits)) >> (8 - bits))
		}
	}
	return extended
}

// outOfRange returns the index of the first element with bits that an element of fewer than
// eight bits cannot have, or -1.
func outOfRange(v tensor.View) int {
	d := v.Shape.DType
	if d.Bits() >= 8 || d == tensor.Pred {
		return -1
	}
	signed := d == tensor.S2 || d == tensor.S4
	half := 1 << (d.Bits() - 1)
	for i, b := range v.Data {
		if signed && (int(int8(b)) < -half || int(int8(b)) >= half) || !signed && int(b) >= 2*half {
			return i
		}
	}
	return -1
}
