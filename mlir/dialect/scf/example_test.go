package scf_test

import (
	"fmt"
	"log"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// This example builds a loop that carries a sum.
func Example() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	list, f32 := b.Type("memref<?xf32>"), c.F32Type()
	function.Func(b, "sum", []mlir.Type{list}, []mlir.Type{f32}, func(in []mlir.Value) {
		zero, one := arith.ConstantIndex(b, 0), arith.ConstantIndex(b, 1)
		size := memref.Dim(b, in[0], zero)
		start := arith.ConstantFloat(b, f32, 0)
		sum := scf.Iterate(b, zero, size, one, []mlir.Value{start},
			func(i mlir.Value, carried []mlir.Value) []mlir.Value {
				return []mlir.Value{arith.AddF(b, carried[0], memref.Load(b, in[0], i))}
			})
		function.Return(b, sum...)
	})
	if b.Fail(m.Verify()); b.Err() != nil {
		log.Fatal(b.Err())
	}
	fmt.Print(m)
	// Output:
	// module {
	//   func.func @sum(%arg0: memref<?xf32>) -> f32 {
	//     %c0 = arith.constant 0 : index
	//     %c1 = arith.constant 1 : index
	//     %dim = memref.dim %arg0, %c0 : memref<?xf32>
	//     %cst = arith.constant 0.000000e+00 : f32
	//     %0 = scf.for %arg1 = %c0 to %dim step %c1 iter_args(%arg2 = %cst) -> (f32) {
	//       %1 = memref.load %arg0[%arg1] : memref<?xf32>
	//       %2 = arith.addf %arg2, %1 : f32
	//       scf.yield %2 : f32
	//     }
	//     return %0 : f32
	//   }
	// }
}
