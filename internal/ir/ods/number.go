package ods

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/calliope-mlir/calliope/mlir"
)

// The kinds of numbers.
var (
	I8    = integer[int8](8, mlir.Signless)
	I16   = integer[int16](16, mlir.Signless)
	I32   = integer[int32](32, mlir.Signless)
	I64   = integer[int64](64, mlir.Signless)
	SI8   = integer[int8](8, mlir.Signed)
	SI16  = integer[int16](16, mlir.Signed)
	SI32  = integer[int32](32, mlir.Signed)
	SI64  = integer[int64](64, mlir.Signed)
	UI8   = integer[uint8](8, mlir.Unsigned)
	UI16  = integer[uint16](16, mlir.Unsigned)
	UI32  = integer[uint32](32, mlir.Unsigned)
	UI64  = integer[uint64](64, mlir.Unsigned)
	Index = Kind[int64]{func(c *mlir.Context, v int64) (mlir.Attribute, error) {
		return c.IntegerAttribute(c.IndexType(), v), nil
	}, mlir.Attribute.Int}
	F32 = Kind[float32]{func(c *mlir.Context, v float32) (mlir.Attribute, error) {
		return c.FloatAttribute(c.F32Type(), float64(v)), nil
	}, func(a mlir.Attribute) (float32, bool) {
		v, ok := a.Float()
		return float32(v), ok
	}}
	F64 = Kind[float64]{func(c *mlir.Context, v float64) (mlir.Attribute, error) {
		return c.FloatAttribute(c.F64Type(), v), nil
	}, mlir.Attribute.Float}
)

func integer[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](
	bits int, sign mlir.Signedness,
) Kind[T] {
	return Kind[T]{func(c *mlir.Context, v T) (mlir.Attribute, error) {
		return c.IntegerAttribute(c.IntegerType(bits, sign), int64(v)), nil
	}, func(a mlir.Attribute) (T, bool) {
		if sign == mlir.Unsigned {
			v, ok := a.Uint()
			return T(v), ok && uint64(T(v)) == v
		}
		v, ok := a.Int()
		return T(v), ok && int64(T(v)) == v
	}}
}

// An Enum is an enumeration. A Go value of it is the number of the case, from 1, or, if Bits
// is set, the bits of the cases.
type Enum struct {
	What  string // for errors
	Bits  bool
	Width int      // of the integer that stands for it, or 0
	Text  string   // of the attribute, with % for the keyword, if it is no integer
	Also  []string // texts of it in other libraries; one without % is the type of an integer
	Join  string   // between keywords
	Cases []string // keywords
	Words []string // keywords in other libraries, each followed by the one in Cases
	// Values are the numbers of the cases, if they are not 0, 1, 2 …
	Values []uint64

	known sync.Map // spellings by library
}

func (e *Enum) value(i int) uint64 {
	if e.Values == nil {
		return uint64(i)
	}
	return e.Values[i]
}

// String returns the keywords of v.
func (e *Enum) String(v uint64) string {
	text, ok := e.keyword(v)
	if !ok {
		return fmt.Sprintf("%s(%d)", e.What, v)
	}
	return text
}

func (e *Enum) keyword(v uint64) (text string, ok bool) {
	if !e.Bits {
		if v == 0 || v > uint64(len(e.Cases)) {
			return "", false
		}
		return e.Cases[v-1], true
	}
	for i, keyword := range e.Cases {
		if e.value(i) == v {
			return keyword, true
		}
	}
	rest := v
	for i, keyword := range e.Cases {
		bit := e.value(i)
		if bit&(bit-1) == 0 && rest&bit != 0 {
			if text != "" {
				text += cmp.Or(e.Join, ", ") // integers have none
			}
			text += keyword
			rest &^= bit
		}
	}
	return text, rest == 0 && (v != 0)
}
