package main

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

func Example() {
	main()
	// Output:
	// module {
	//   func.func @matmul(%arg0: memref<4x4xf32>, %arg1: memref<4x4xf32>, %arg2: memref<4x4xf32>) {
	//     %c4 = arith.constant 4 : index
	//     %c4_0 = arith.constant 4 : index
	//     %c4_1 = arith.constant 4 : index
	//     %c0 = arith.constant 0 : index
	//     %c1 = arith.constant 1 : index
	//     scf.for %arg3 = %c0 to %c4 step %c1 {
	//       scf.for %arg4 = %c0 to %c4_0 step %c1 {
	//         scf.for %arg5 = %c0 to %c4_1 step %c1 {
	//           %0 = memref.load %arg0[%arg3, %arg5] : memref<4x4xf32>
	//           %1 = memref.load %arg1[%arg5, %arg4] : memref<4x4xf32>
	//           %2 = arith.mulf %0, %1 : f32
	//           %3 = memref.load %arg2[%arg3, %arg4] : memref<4x4xf32>
	//           %4 = arith.addf %3, %2 : f32
	//           memref.store %4, %arg2[%arg3, %arg4] : memref<4x4xf32>
	//         }
	//       }
	//     }
	//     return
	//   }
	// }
}
