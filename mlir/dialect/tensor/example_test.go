package tensor_test

import (
	"fmt"
	"log"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/tensor"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// This example puts zeros around a part of a tensor. The types of the results are inferred.
func Example() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	function.Func(b, "frame", []mlir.Type{b.Type("tensor<8x8xf32>")}, []mlir.Type{b.Type("tensor<6x6xf32>")},
		func(in []mlir.Value) {
			part := tensor.ExtractSlice(b, in[0], mlir.FixedSizes(2, 2), mlir.FixedSizes(4, 4), nil)
			zero := arith.ConstantFloat(b, c.F32Type(), 0)
			one := mlir.FixedSizes(1, 1)
			function.Return(b, tensor.Pad(b, part, one, one, func([]mlir.Value) mlir.Value { return zero }))
		})
	if b.Fail(m.Verify()); b.Err() != nil {
		log.Fatal(b.Err())
	}
	fmt.Print(m)
	// Output:
	// module {
	//   func.func @frame(%arg0: tensor<8x8xf32>) -> tensor<6x6xf32> {
	//     %extracted_slice = tensor.extract_slice %arg0[2, 2] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
	//     %cst = arith.constant 0.000000e+00 : f32
	//     %padded = tensor.pad %extracted_slice low[1, 1] high[1, 1] {
	//     ^bb0(%arg1: index, %arg2: index):
	//       tensor.yield %cst : f32
	//     } : tensor<4x4xf32> to tensor<6x6xf32>
	//     return %padded : tensor<6x6xf32>
	//   }
	// }
}
