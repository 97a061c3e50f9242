package main

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

func Example() {
	main()
	// Output:
	// func.func @matmul(%arg0: tensor<64x64xf32>, %arg1: tensor<64x64xf32>, %arg2: tensor<64x64xf32>) -> tensor<64x64xf32> {
	//   %c0 = arith.constant 0 : index
	//   %c64 = arith.constant 64 : index
	//   %c8 = arith.constant 8 : index
	//   %c16 = arith.constant 16 : index
	//   %0 = scf.for %arg3 = %c0 to %c64 step %c8 iter_args(%arg4 = %arg2) -> (tensor<64x64xf32>) {
	//     %1 = scf.for %arg5 = %c0 to %c64 step %c16 iter_args(%arg6 = %arg4) -> (tensor<64x64xf32>) {
	//       %extracted_slice = tensor.extract_slice %arg0[%arg3, 0] [8, 64] [1, 1] : tensor<64x64xf32> to tensor<8x64xf32>
	//       %extracted_slice_0 = tensor.extract_slice %arg1[0, %arg5] [64, 16] [1, 1] : tensor<64x64xf32> to tensor<64x16xf32>
	//       %extracted_slice_1 = tensor.extract_slice %arg6[%arg3, %arg5] [8, 16] [1, 1] : tensor<64x64xf32> to tensor<8x16xf32>
	//       %2 = linalg.matmul ins(%extracted_slice, %extracted_slice_0 : tensor<8x64xf32>, tensor<64x16xf32>) outs(%extracted_slice_1 : tensor<8x16xf32>) -> tensor<8x16xf32>
	//       %inserted_slice = tensor.insert_slice %2 into %arg6[%arg3, %arg5] [8, 16] [1, 1] : tensor<8x16xf32> into tensor<64x64xf32>
	//       scf.yield %inserted_slice : tensor<64x64xf32>
	//     }
	//     scf.yield %1 : tensor<64x64xf32>
	//   }
	//   return %0 : tensor<64x64xf32>
	// }
}
