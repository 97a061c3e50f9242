package vector_test

import (
	"fmt"
	"log"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/vector"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// This example adds the products of the elements of two vectors.
func Example() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	v := b.Type("vector<4xf32>")
	function.Func(b, "dot", []mlir.Type{v, v}, []mlir.Type{c.F32Type()}, func(in []mlir.Value) {
		products := arith.MulF(b, in[0], in[1])
		function.Return(b, vector.Reduction(b, c.F32Type(), vector.CombiningKindADD, products))
	})
	if b.Fail(m.Verify()); b.Err() != nil {
		log.Fatal(b.Err())
	}
	fmt.Print(m)
	// Output:
	// module {
	//   func.func @dot(%arg0: vector<4xf32>, %arg1: vector<4xf32>) -> f32 {
	//     %0 = arith.mulf %arg0, %arg1 : vector<4xf32>
	//     %1 = vector.reduction <add>, %0 : vector<4xf32> into f32
	//     return %1 : f32
	//   }
	// }
}
