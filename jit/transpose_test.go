package jit_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/tensor"
)

// TestTransposes transposes arrays that are copied in blocks, of elements of several sizes, at the edges of blocks.
func TestTransposes(t *testing.T) {
	for _, tt := range []struct {
		dims []int
		to   []int // by dimension of the result, that of the array
	}{
		{[]int{33, 47}, []int{1, 0}}, {[]int{16, 300}, []int{1, 0}}, {[]int{3, 17, 40}, []int{0, 2, 1}},
		{[]int{2, 17, 3, 40}, []int{2, 3, 0, 1}}, {[]int{40, 3, 17}, []int{2, 1, 0}},
	} {
		for _, elem := range []tensor.DType{tensor.S8, tensor.BF16, tensor.F32, tensor.U64, tensor.C128} {
			in := tensor.ShapeOf(elem, tt.dims...)
			out := tensor.ShapeOf(elem)
			for _, d := range tt.to {
				out.Dims = append(out.Dims, tt.dims[d])
			}
			t.Run(fmt.Sprint(in, tt.to), func(t *testing.T) {
				x := make([]byte, in.NumBytes())
				for i := range x {
					x[i] = byte(i * 7 % 251)
				}
				got := run(t, fmt.Sprintf(`func.func @main(%%x: %[1]s) -> %[2]s {
					%%0 = stablehlo.transpose %%x, dims = %[3]s : (%[1]s) -> %[2]s
					return %%0 : %[2]s }`, typeOf(in), typeOf(out), strings.ReplaceAll(fmt.Sprint(tt.to), " ", ", ")),
					tensor.View{Shape: in, Data: x})
				if want := transposed(x, elem.Size(), tt.dims, tt.to); !bytes.Equal(want, got[0].Data) {
					t.Error("other elements")
				}
			})
		}
	}
}

// typeOf returns the type of an array.
func typeOf(s tensor.Shape) string {
	text := "tensor<"
	for _, d := range s.Dims {
		text += fmt.Sprint(d, "x")
	}
	return text + s.DType.MLIR() + ">"
}

// transposed transposes an array in the plainest way.
func transposed(x []byte, size int, dims, to []int) []byte {
	strides := make([]int, len(dims)) // in bytes
	for i, n := len(dims)-1, size; i >= 0; i-- {
		strides[i] = n
		n *= dims[i]
	}
	y := make([]byte, 0, len(x))
	var each func(k, from int)
	each = func(k, from int) {
		if k == len(to) {
			y = append(y, x[from:from+size]...)
			return
		}
		for i := range dims[to[k]] {
			each(k+1, from+i*strides[to[k]])
		}
	}
	each(0, 0)
	return y
}
