package tensor_test

import (
	"fmt"

	"github.com/calliope-mlir/calliope/tensor"
)

func ExampleFromSlice() {
	data := []float32{1, 2, 3, 4, 5, 6}
	v, err := tensor.FromSlice(data, 2, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	data[0] = 10 // the view is on the same memory
	fmt.Println(v)

	_, err = tensor.FromSlice(data, 4)
	fmt.Println(err)
	// Output:
	// f32[2,3] [10 2 3 4 5 6]
	// tensor: f32[4] has 4 elements, the slice has 6
}

func ExampleSlice() {
	v := tensor.Vector[int32](1, 2, 3)
	values, err := tensor.Slice[int32](v)
	fmt.Println(values, err)

	_, err = tensor.Slice[float32](v)
	fmt.Println(err)
	// Output:
	// [1 2 3] <nil>
	// tensor: the array is s32[3], so its elements are not of type float32 (f32)
}

func ExampleParseShape() {
	s, err := tensor.ParseShape("bf16[?,128]")
	fmt.Println(s.DType, s.DType.Size(), s.Dims, err)
	fmt.Println(s.Check())
	// Output:
	// bf16 2 [-1 128] <nil>
	// tensor: dimension 0 of bf16[?,128] is not known
}

func ExampleToFloat16() {
	h := tensor.ToFloat16(0.1)
	fmt.Printf("%#04x %v\n", uint16(h), h.Float32())
	fmt.Println(tensor.ToFloat16(1e6).Float32())
	// Output:
	// 0x2e66 0.099975586
	// +Inf
}
