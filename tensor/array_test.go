package tensor_test

import (
	"math"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestArrayOf(t *testing.T) {
	v, err := tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	check.NoError(t, err)
	a, err := tensor.ArrayOf[float32](v)
	check.NoError(t, err)
	if d := cmp.Diff(tensor.Array[float32]{Dims: []int{2, 3}, Data: []float32{1, 2, 3, 4, 5, 6}}, a); d != "" {
		t.Error(d)
	}
	if unsafe.Pointer(&a.Data[0]) != unsafe.Pointer(&v.Data[0]) {
		t.Error("the elements were copied")
	}
	if &a.Dims[0] == &v.Shape.Dims[0] {
		t.Error("the dimensions are the view's, which may be gone before the array is")
	}
	back, err := a.View()
	check.NoError(t, err)
	if d := cmp.Diff(v, back); d != "" {
		t.Error(d)
	}
	if &back.Data[0] != &v.Data[0] {
		t.Error("View copied the elements")
	}
	c := a.Clone()
	c.Data[0], c.Dims[0] = 9, 9
	if a.Data[0] != 1 || a.Dims[0] != 2 {
		t.Error("a change of the clone changed the array")
	}
}

// Memory that is not aligned for the elements is copied, and empty arrays have none.
func TestArrayOfOddMemory(t *testing.T) {
	room := make([]byte, 17)
	odd := tensor.View{Shape: tensor.ShapeOf(tensor.F64, 2), Data: room[1:]}
	if uintptr(unsafe.Pointer(&odd.Data[0]))%8 == 0 {
		t.Fatal("the test needs memory that is not aligned")
	}
	copy(odd.Data, tensor.Vector(1.5, -2).Data)
	a, err := tensor.ArrayOf[float64](odd)
	check.NoError(t, err)
	if d := cmp.Diff([]float64{1.5, -2}, a.Data); d != "" {
		t.Error(d)
	}
	empty, err := tensor.ArrayOf[float64](tensor.View{Shape: tensor.ShapeOf(tensor.F64, 2, 0)})
	check.NoError(t, err)
	if d := cmp.Diff(tensor.Array[float64]{Dims: []int{2, 0}, Data: []float64{}}, empty); d != "" {
		t.Error(d)
	}
	scalar, err := tensor.ArrayOf[bool](tensor.Scalar(true))
	if err != nil || len(scalar.Dims) != 0 || !scalar.Data[0] {
		t.Errorf("a scalar is %v, %v", scalar, err)
	}
}

func TestArrayErrors(t *testing.T) {
	view := func(dims []int, n int) error {
		_, err := tensor.Array[int32]{Dims: dims, Data: make([]int32, n)}.View()
		return err
	}
	of := func(v tensor.View) error {
		_, err := tensor.ArrayOf[int32](v)
		return err
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{view(nil, 0), "tensor: s32[] has 1 elements, the slice has 0"},
		{view([]int{2, 2}, 5), "tensor: s32[2,2] has 4 elements, the slice has 5"},
		{view([]int{-1}, 0), "tensor: dimension 0 of s32[?] is not known"},
		{view([]int{math.MaxInt, 2}, 0), "tensor: s32[9223372036854775807,2] is larger than any array can be"},
		{of(tensor.Vector[float32](1)), "tensor: the array is f32[1], so its elements are not of type int32 (s32)"},
		{of(tensor.View{}), "tensor: the array is invalid[], so its elements are not of type int32 (s32)"},
		{of(tensor.View{Shape: tensor.ShapeOf(tensor.S32, 2), Data: make([]byte, 7)}),
			"tensor: an array s32[2] takes 8 bytes, but the data has 7"},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("got %v, want %s", c.err, c.want)
		}
	}
}
