package gpu_test

import (
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/gpu"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
)

// This example launches a kernel that scales a list.
func Example() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	list := b.Type("memref<1024xf32>")
	function.Func(b, "scale", []mlir.Type{list, c.F32Type()}, nil, func(in []mlir.Value) {
		one, blocks, threads := arith.ConstantIndex(b, 1), arith.ConstantIndex(b, 8), arith.ConstantIndex(b, 128)
		gpu.Launch(b, [3]mlir.Value{blocks, one, one}, [3]mlir.Value{threads, one, one}, func(at gpu.Launched) {
			i := arith.AddI(b, arith.MulI(b, at.Block[0], at.Threads[0]), at.Thread[0])
			memref.Store(b, arith.MulF(b, memref.Load(b, in[0], i), in[1]), in[0], i)
		})
		function.Return(b)
	})
	if b.Fail(m.Verify()); b.Err() != nil {
		log.Fatal(b.Err())
	}
	fmt.Print(m)
	// Output:
	// module {
	//   func.func @scale(%arg0: memref<1024xf32>, %arg1: f32) {
	//     %c1 = arith.constant 1 : index
	//     %c8 = arith.constant 8 : index
	//     %c128 = arith.constant 128 : index
	//     gpu.launch blocks(%arg2, %arg3, %arg4) in (%arg8 = %c8, %arg9 = %c1, %arg10 = %c1) threads(%arg5, %arg6, %arg7) in (%arg11 = %c128, %arg12 = %c1, %arg13 = %c1) {
	//       %0 = arith.muli %arg2, %arg11 : index
	//       %1 = arith.addi %0, %arg5 : index
	//       %2 = memref.load %arg0[%1] : memref<1024xf32>
	//       %3 = arith.mulf %2, %arg1 : f32
	//       memref.store %3, %arg0[%1] : memref<1024xf32>
	//       gpu.terminator
	//     }
	//     return
	//   }
	// }
}
