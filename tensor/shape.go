package tensor

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// A Shape is an element type and the dimensions, outermost first. A scalar has no
// dimensions. A dimension of -1 is not known; a shape with one has no size.
type Shape struct {
	DType DType
	Dims  []int
}

// ShapeOf returns a shape with a copy of dims. It does not validate them: Check, and every
// function that makes a value or a type of the shape, returns an error for a dimension
// below -1.
func ShapeOf(d DType, dims ...int) Shape { return Shape{d, slices.Clone(dims)} }

// Clone returns a shape with a copy of the dimensions.
func (s Shape) Clone() Shape { return ShapeOf(s.DType, s.Dims...) }

// unknown is a dimension that is not known.
const unknown = -1

// Rank returns the number of dimensions.
func (s Shape) Rank() int { return len(s.Dims) }

// IsOpen reports whether a dimension is not known.
func (s Shape) IsOpen() bool { return slices.Contains(s.Dims, unknown) }

// NumElements returns the product of the dimensions, which is 1 for a scalar. It is only
// meaningful for a shape that passes Check.
func (s Shape) NumElements() int {
	n := 1
	for _, d := range s.Dims {
		n *= d
	}
	return n
}

// NumBytes returns the size of a host array of this shape in bytes; see DType.Size.
func (s Shape) NumBytes() int { return s.NumElements() * s.DType.Size() }

// Check returns an error if the shape is not valid: it has no element type, a negative
// dimension, more bytes than an int can count, or it is a token with dimensions.
func (s Shape) Check() error {
	if s.DType == Invalid || s.DType >= count {
		return fmt.Errorf("tensor: the shape %s has no element type", s)
	}
	if s.DType == Token && s.Rank() > 0 {
		return fmt.Errorf("tensor: a token is not an array, but %s gives it dimensions", s)
	}
	total, overflow := uint64(max(s.DType.Size(), 1)), false
	empty := slices.Contains(s.Dims, 0)
	for i, d := range s.Dims {
		if d < unknown {
			return fmt.Errorf("tensor: dimension %d of %s is negative: give its size, or -1 if it is not known", i, s)
		}
		if d == unknown {
			return fmt.Errorf("tensor: dimension %d of %s is not known", i, s)
		}
		if !empty {
			high, low := bits.Mul64(total, uint64(d))
			overflow = overflow || high != 0 || low > math.MaxInt
			total = low
		}
	}
	if overflow {
		return fmt.Errorf("tensor: %s is larger than any array can be", s)
	}
	return nil
}

// RowMajor reports whether a layout puts an array of this shape in row-major order, like a
// View. The layout lists the dimensions from minor to major, as XLA and StableHLO do: [1 0]
// is a row-major matrix. The position of a dimension of size 1 does not matter.
func (s Shape) RowMajor(layout []int64) bool {
	last := int64(s.Rank())
	seen := 0
	for _, d := range layout {
		if d < 0 || d >= int64(s.Rank()) {
			return false
		}
		seen++
		if s.Dims[d] == 1 {
			continue
		}
		if d >= last {
			return false
		}
		last = d
	}
	return seen == s.Rank()
}

// Equal reports whether s and o are equal.
func (s Shape) Equal(o Shape) bool { return s.DType == o.DType && slices.Equal(s.Dims, o.Dims) }

// String returns XLA's spelling: f32[2,3], s32[] for a scalar, f32[?,3] if a dimension is
// not known.
func (s Shape) String() string {
	var b strings.Builder
	b.WriteString(s.DType.String())
	b.WriteByte('[')
	for i, d := range s.Dims {
		if i > 0 {
			b.WriteByte(',')
		}
		if d == unknown {
			b.WriteByte('?')
		} else {
			b.WriteString(strconv.Itoa(d))
		}
	}
	b.WriteByte(']')
	return b.String()
}

// ParseShape parses the output of String. It accepts nothing else: no spaces, signs or
// leading zeros. It does not check the size; Check does.
func ParseShape(text string) (Shape, error) {
	name, rest, ok := strings.Cut(text, "[")
	inside, closed := strings.CutSuffix(rest, "]")
	if !ok || !closed {
		return Shape{}, fmt.Errorf("tensor: %q is not a shape; write one like f32[2,3] or s32[]", text)
	}
	dtype, err := ParseDType(name)
	if err != nil {
		return Shape{}, err
	}
	s := Shape{DType: dtype}
	if inside == "" {
		return s, nil
	}
	for field := range strings.SplitSeq(inside, ",") {
		if field == "?" {
			s.Dims = append(s.Dims, -1)
			continue
		}
		n, err := strconv.Atoi(field)
		if err != nil || n < 0 || strconv.Itoa(n) != field {
			return Shape{}, fmt.Errorf("tensor: %q is not a dimension in the shape %q; write a plain number, or ? for an unknown one", field, text)
		}
		s.Dims = append(s.Dims, n)
	}
	return s, nil
}
