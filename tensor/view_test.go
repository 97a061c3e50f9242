package tensor_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// memory is n bytes; at counts from the start of a buffer whose own start is aligned, so that the
// result is aligned, or not, as the test wants it.
func memory(n, at int) []byte {
	words := make([]complex128, n/16+2)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*16)[at : at+n : at+n]
}

// element tests what holds for each Go type: values holds at least two, all shown
// by At as in printed.
func element[T tensor.Element](t *testing.T, printed []any, values ...T) {
	var zero T
	t.Run(fmt.Sprintf("%T", zero), func(t *testing.T) {
		n := len(values)
		v, err := tensor.FromSlice(values, n, 1)
		check.NoError(t, err)
		check.Diff(t, "shape", tensor.ShapeOf(tensor.DTypeOf[T](), n, 1), v.Shape)
		check.NoError(t, v.Check())
		check.Diff(t, "bytes", n*int(unsafe.Sizeof(zero)), len(v.Data))

		for i, want := range printed {
			check.Diff(t, fmt.Sprintf("At(%d)", i), want, v.At(i))
		}

		back, err := tensor.Slice[T](v)
		check.NoError(t, err)
		check.Diff(t, "Slice", values, back)
		if unsafe.SliceData(back) != unsafe.SliceData(values) {
			t.Error("Slice or FromSlice copied")
		}

		clone := v.Clone()
		check.Diff(t, "clone", v, clone)
		copied, err := tensor.Slice[T](clone)
		check.NoError(t, err)
		copied[0] = values[1]
		clone.Shape.Dims[0] = 99
		check.Diff(t, "original", printed[0], v.At(0))
		check.Diff(t, "original's shape", n, v.Shape.Dims[0])

		check.Diff(t, "Vector", tensor.View{Shape: tensor.ShapeOf(v.Shape.DType, n), Data: v.Data},
			tensor.Vector(values...))
		scalar := tensor.Scalar(values[1])
		check.Diff(t, "Scalar's shape", tensor.ShapeOf(v.Shape.DType), scalar.Shape)
		check.Diff(t, "Scalar", printed[1], scalar.At(0))
		check.Diff(t, "Scalar's String", fmt.Sprintf("%s[] %v", v.Shape.DType, printed[1]), scalar.String())

		odd := tensor.View{Shape: v.Shape, Data: memory(len(v.Data), 1)}
		copy(odd.Data, v.Data)
		for i, want := range printed {
			check.Diff(t, fmt.Sprintf("At(%d), not aligned", i), want, odd.At(i))
		}
		values, err := tensor.Slice[T](odd)
		if unsafe.Alignof(zero) == 1 {
			check.NoError(t, err)
			check.Diff(t, "Slice at an odd address", back, values)
		} else {
			check.Error(t, err, fmt.Sprintf("not aligned for %T: use Clone", zero))
			values, err = tensor.Slice[T](odd.Clone())
			check.NoError(t, err)
			check.Diff(t, "Slice of a clone", back, values)
		}

		for _, empty := range []tensor.View{
			{Shape: tensor.ShapeOf(v.Shape.DType, 0)},
			{Shape: tensor.ShapeOf(v.Shape.DType, 0), Data: []byte{}},
			{Shape: tensor.ShapeOf(v.Shape.DType, 0), Data: memory(1, 1)[:0]},
			tensor.Vector[T](),
		} {
			values, err := tensor.Slice[T](empty)
			check.NoError(t, err)
			check.Diff(t, "Slice of nothing", []T{}, values)
			check.Diff(t, "String of nothing", v.Shape.DType.String()+"[0] []", empty.String())
			check.Diff(t, "Clone of nothing", 0, len(empty.Clone().Data))
			check.NoError(t, empty.Clone().Check())
		}
		for _, none := range [][]T{nil, {}, values[:0]} {
			v, err := tensor.FromSlice(none, 3, 0)
			check.NoError(t, err)
			check.NoError(t, v.Check())
		}
	})
}

func TestElements(t *testing.T) {
	element(t, []any{true, false}, true, false)
	element(t, []any{int8(-128), int8(127)}, int8(-128), 127)
	element(t, []any{int16(math.MinInt16), int16(-2)}, int16(math.MinInt16), -2)
	element(t, []any{int32(math.MinInt32), int32(7)}, int32(math.MinInt32), 7)
	element(t, []any{int64(math.MinInt64), int64(math.MaxInt64)}, int64(math.MinInt64), math.MaxInt64)
	element(t, []any{uint8(0), uint8(255)}, uint8(0), 255)
	element(t, []any{uint16(1), uint16(math.MaxUint16)}, uint16(1), math.MaxUint16)
	element(t, []any{uint32(1), uint32(math.MaxUint32)}, uint32(1), math.MaxUint32)
	element(t, []any{uint64(1), uint64(math.MaxUint64)}, uint64(1), math.MaxUint64)
	element(t, []any{float32(1.5), float32(-2)}, float32(1.5), -2)
	element(t, []any{1e300, math.Inf(-1)}, 1e300, math.Inf(-1))
	element(t, []any{complex64(1 + 2i), complex64(-3i)}, complex64(1+2i), -3i)
	element(t, []any{complex128(1 + 2i), complex128(-3i)}, complex128(1+2i), -3i)
	element(t, []any{float32(1), float32(-2)}, tensor.Float16(0x3c00), 0xc000)
	element(t, []any{float32(1), float32(-2)}, tensor.BFloat16(0x3f80), 0xc000)
}

// Each element type, also those without a Go type: the bytes of element 1 differ
// from those around them, and are shown as the type requires.
func TestAtEveryDType(t *testing.T) {
	want := map[tensor.DType]any{
		tensor.Pred: true, tensor.S2: int8(1), tensor.S4: int8(1), tensor.S8: int8(1), tensor.S16: int16(1),
		tensor.S32: int32(1), tensor.S64: int64(1), tensor.U2: uint8(1), tensor.U4: uint8(1), tensor.U8: uint8(1),
		tensor.U16: uint16(1), tensor.U32: uint32(1), tensor.U64: uint64(1), tensor.F16: float32(0x1p-24),
		tensor.BF16: float32(0x1p-133), tensor.F32: float32(0x1p-149), tensor.F64: 0x1p-1074,
		tensor.F8E5M2: uint8(1), tensor.F8E4M3: uint8(1), tensor.F8E4M3FN: uint8(1), tensor.F8E4M3B11FNUZ: uint8(1),
		tensor.F8E5M2FNUZ: uint8(1), tensor.F8E4M3FNUZ: uint8(1), tensor.F8E3M4: uint8(1), tensor.F4E2M1FN: uint8(1),
		tensor.F8E8M0FNU: uint8(1), tensor.C64: complex(0, float32(0x1p-149)), tensor.C128: complex(0, 0x1p-1074),
	}
	for _, d := range tensor.DTypes() {
		t.Run(d.String(), func(t *testing.T) {
			size := d.Size()
			data := make([]byte, 3*size)
			one := data[size : 2*size]
			switch d {
			case tensor.C64:
				binary.NativeEndian.PutUint32(one[4:], 1)
			case tensor.C128:
				binary.NativeEndian.PutUint64(one[8:], 1)
			default:
				switch size {
				case 1:
					one[0] = 1
				case 2:
					binary.NativeEndian.PutUint16(one, 1)
				case 4:
					binary.NativeEndian.PutUint32(one, 1)
				case 8:
					binary.NativeEndian.PutUint64(one, 1)
				}
			}
			v := tensor.View{Shape: tensor.ShapeOf(d, 3), Data: data}
			check.NoError(t, v.Check())
			check.Diff(t, "At", want[d], v.At(1))
			shown := func(i int) any {
				if f, small := tensor.Float8(d, v.Data[i*size]); small {
					return f
				}
				return v.At(i)
			}
			check.Diff(t, "String", fmt.Sprintf("%s[3] [%v %v %v]", d, shown(0), shown(1), shown(2)), v.String())
			clone := v.Clone()
			check.Diff(t, "Clone", v, clone)
			if p := uintptr(unsafe.Pointer(&clone.Data[0])); p%unsafe.Alignof(complex128(0)) != 0 {
				t.Errorf("the clone is at %#x", p)
			}
		})
	}
}

func TestViewString(t *testing.T) {
	eight, err := tensor.FromSlice([]int32{1, 2, 3, 4, 5, 6, 7, 8}, 2, 2, 2)
	check.NoError(t, err)
	for want, v := range map[string]tensor.View{
		"f32[4] [1 2 3.5 -0]":          tensor.Vector(1, 2, 3.5, float32(math.Copysign(0, -1))),
		"s32[2,2,2] [1 2 3 4 5 6 7 8]": eight,
		"u16[9] [0 1 2 3 4 5 6 7 …]":   tensor.Vector[uint16](0, 1, 2, 3, 4, 5, 6, 7, 8),
		"f64[3] [NaN +Inf -Inf]":       tensor.Vector(math.NaN(), math.Inf(1), math.Inf(-1)),
		"c64[] (1-2i)":                 tensor.Scalar(complex64(1 - 2i)),
		"pred[2] [true true]":          {Shape: tensor.ShapeOf(tensor.Pred, 2), Data: []byte{1, 2}},
		"s4[2] [-8 7]":                 {Shape: tensor.ShapeOf(tensor.S4, 2), Data: []byte{0xf8, 7}},
		"f8e4m3fn[3] [1 -1.5 NaN]": {Shape: tensor.ShapeOf(tensor.F8E4M3FN, 3),
			Data: []byte{0x38, 0xbc, 0x7f}},
		"f8e5m2[] +Inf": {Shape: tensor.ShapeOf(tensor.F8E5M2), Data: []byte{0x7c}},
		"f4e2m1fn[2] [0.5 -6]": {Shape: tensor.ShapeOf(tensor.F4E2M1FN, 2),
			Data: []byte{1, 0xf}},
		"f32[-3] (0 bytes)":   {Shape: tensor.ShapeOf(tensor.F32, -3)},
		"f32[2] (7 bytes)":    {Shape: tensor.ShapeOf(tensor.F32, 2), Data: make([]byte, 7)},
		"f32[?] (0 bytes)":    {Shape: tensor.ShapeOf(tensor.F32, -1)},
		"invalid[] (0 bytes)": {},
		"token[] (0 bytes)":   {Shape: tensor.ShapeOf(tensor.Token)},
		fmt.Sprintf("f64[%d] (1 bytes)", math.MaxInt): {Shape: tensor.ShapeOf(tensor.F64, math.MaxInt),
			Data: []byte{1}},
	} {
		check.Diff(t, "String", want, v.String())
	}
}

func TestViewErrors(t *testing.T) {
	_, err := tensor.FromSlice([]float32{1, 2, 3}, 2)
	check.Error(t, err, "f32[2] has 2 elements, the slice has 3")
	_, err = tensor.FromSlice([]float32{1, 2})
	check.Error(t, err, "f32[] has 1 elements, the slice has 2")
	_, err = tensor.FromSlice([]float32{})
	check.Error(t, err, "f32[] has 1 elements, the slice has 0")
	_, err = tensor.FromSlice([]float32{1}, -1)
	check.Error(t, err, "dimension 0")
	_, err = tensor.FromSlice([]bool{}, math.MaxInt, 2)
	check.Error(t, err, "larger than any array")

	v := tensor.Vector[float32](1, 2)
	_, err = tensor.Slice[float64](v)
	check.Error(t, err, "the array is f32[2], so its elements are not of type float64 (f64)")
	_, err = tensor.Slice[int8](tensor.View{Shape: tensor.ShapeOf(tensor.S4, 1), Data: []byte{1}})
	check.Error(t, err, "the array is s4[1], so its elements are not of type int8 (s8)")
	v.Data = v.Data[:7]
	_, err = tensor.Slice[float32](v)
	check.Error(t, err, "an array f32[2] takes 8 bytes, but the data has 7")
	v.Shape.Dims = []int{-1}
	_, err = tensor.Slice[float32](v)
	check.Error(t, err, "dimension 0 of f32[?]")

	check.Error(t, tensor.View{}.Check(), "no element type")
	check.Error(t, tensor.View{Shape: tensor.ShapeOf(tensor.Token)}.Check(), "a token is not an array")
}

// A clone of an invalid view is also invalid, which Check reports.
func TestCloneOfBrokenViews(t *testing.T) {
	for _, v := range []tensor.View{
		{},
		{Shape: tensor.ShapeOf(tensor.F32, 2), Data: []byte{1, 2, 3}},
		{Shape: tensor.ShapeOf(tensor.F32, -1), Data: make([]byte, 17)},
	} {
		check.Diff(t, "Clone", v.Shape, v.Clone().Shape)
		if d := len(v.Clone().Data) - len(v.Data); d != 0 {
			t.Errorf("the clone has %d bytes more", d)
		}
	}
}

func TestAtPanicsOutOfRange(t *testing.T) {
	for _, c := range []struct {
		name string
		view tensor.View
		i    int
	}{
		{"behind", tensor.Vector[int32](1, 2), 2},
		{"behind, in the memory", tensor.View{Shape: tensor.ShapeOf(tensor.S32, 1), Data: make([]byte, 4, 16)}, 1},
		{"before", tensor.Vector[int32](1, 2), -1},
		{"nothing there", tensor.Vector[int32](), 0},
		{"token", tensor.View{Shape: tensor.ShapeOf(tensor.Token)}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			c.view.At(c.i)
		})
	}
}
