package tensor

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"
)

// A View is a dense, row-major array on the host. Its Data may be memory of another owner;
// the function that returns the view documents how long it is valid. Elements are in the
// machine's byte order and take DType.Size bytes each. A pred is a byte 0 or 1.
type View struct {
	Shape Shape
	Data  []byte
}

// FromSlice returns a view of a slice as an array with the given dimensions, without
// copying. With no dimensions the slice must hold the one element of a scalar. It returns
// an error if the number of elements does not match.
func FromSlice[T Element](data []T, dims ...int) (View, error) {
	s := ShapeOf(DTypeOf[T](), dims...)
	if err := s.Check(); err != nil {
		return View{}, err
	}
	if len(data) != s.NumElements() {
		return View{}, fmt.Errorf("tensor: %s has %d elements, the slice has %d", s, s.NumElements(), len(data))
	}
	return View{s, bytesOf(data)}, nil
}

// Vector returns a view of a slice as an array of rank 1, without copying.
func Vector[T Element](data ...T) View {
	return View{Shape{DTypeOf[T](), []int{len(data)}}, bytesOf(data)}
}

// Scalar returns an array of rank 0 that holds a copy of v.
func Scalar[T Element](v T) View {
	return View{Shape{DType: DTypeOf[T]()}, bytesOf([]T{v})}
}

func bytesOf[T Element](data []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*int(unsafe.Sizeof(zero)))
}

// Slice returns the elements of the array as a Go slice, without copying. It returns an
// error if the view is not valid, if its element type is not the one of T, or if the memory
// is not aligned for T.
func Slice[T Element](v View) ([]T, error) {
	var zero T
	if want := DTypeOf[T](); v.Shape.DType != want {
		return nil, fmt.Errorf("tensor: the array is %s, so its elements are not of type %T (%s)", v.Shape, zero, want)
	}
	if err := v.Check(); err != nil {
		return nil, err
	}
	if len(v.Data) == 0 {
		return []T{}, nil // also if its memory is not aligned
	}
	p := unsafe.Pointer(unsafe.SliceData(v.Data))
	if uintptr(p)%unsafe.Alignof(zero) != 0 {
		return nil, fmt.Errorf("tensor: the array's memory is not aligned for %T: use Clone", zero)
	}
	return unsafe.Slice((*T)(p), v.Shape.NumElements()), nil
}

// Check returns an error if the view is not valid: its shape has no size, it is a token, or
// its data has the wrong size.
func (v View) Check() error {
	if err := v.Shape.Check(); err != nil {
		return err
	}
	if v.Shape.DType == Token {
		return errors.New("tensor: a token is not an array and has no data")
	}
	if want := v.Shape.NumBytes(); len(v.Data) != want {
		return fmt.Errorf("tensor: an array %s takes %d bytes, but the data has %d", v.Shape, want, len(v.Data))
	}
	return nil
}

// Clone returns a copy in new memory, aligned for every element type.
func (v View) Clone() View {
	words := make([]uint64, (len(v.Data)+7)/8)
	data := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)[:len(v.Data)]
	copy(data, v.Data)
	return View{ShapeOf(v.Shape.DType, v.Shape.Dims...), data}
}

// printed is the number of elements that String shows.
const printed = 8

// String returns the shape and the first elements in order, such as f32[4] [1 2 3 4].
// Elements of floating-point types of eight bits and fewer are shown as their values, too.
func (v View) String() string {
	if v.Check() != nil {
		return fmt.Sprintf("%s (%d bytes)", v.Shape, len(v.Data))
	}
	n := v.Shape.NumElements()
	if v.Shape.Rank() == 0 {
		return fmt.Sprintf("%s %v", v.Shape, v.value(0))
	}
	var b strings.Builder
	for i := range min(n, printed) {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprint(&b, v.value(i))
	}
	if n > printed {
		b.WriteString(" …")
	}
	return fmt.Sprintf("%s [%s]", v.Shape, b.String())
}

// At returns element i in row-major order, as the Go value that is best for printing: a
// float32 for halves, an int8 or uint8 for integers of less than a byte, and the bits for
// floating-point types of eight bits and fewer, to be decoded by Float8. Like indexing a
// slice, it panics if i is out of range.
func (v View) At(i int) any {
	size := v.Shape.DType.Size()
	p := unsafe.Pointer(&v.Data[i*size : i*size+size : len(v.Data)][0]) // not the bytes after it, in the capacity
	switch v.Shape.DType {
	case Pred:
		return *(*uint8)(p) != 0
	case S2, S4, S8:
		return *(*int8)(p)
	case S16:
		return load[int16](p)
	case S32:
		return load[int32](p)
	case S64:
		return load[int64](p)
	case U16:
		return load[uint16](p)
	case U32:
		return load[uint32](p)
	case U64:
		return load[uint64](p)
	case F16:
		return load[Float16](p).Float32()
	case BF16:
		return load[BFloat16](p).Float32()
	case F32:
		return load[float32](p)
	case F64:
		return load[float64](p)
	case C64:
		return load[complex64](p)
	case C128:
		return load[complex128](p)
	}
	return *(*uint8)(p)
}

// value is like At but decodes small floating-point types.
func (v View) value(i int) any {
	x := v.At(i)
	if bits, ok := x.(uint8); ok {
		if f, small := Float8(v.Shape.DType, bits); small {
			return f
		}
	}
	return x
}

// load reads a value from memory that may not be aligned for it.
func load[T Element](p unsafe.Pointer) (v T) {
	copy(bytesOf(unsafe.Slice(&v, 1)), unsafe.Slice((*byte)(p), unsafe.Sizeof(v)))
	return v
}
