package linalg_test

import (
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/linalg"
)

// This example squares the elements of a matrix.
func Example() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	matrix := b.Type("tensor<4x4xf32>")
	function.Func(b, "squares", []mlir.Type{matrix, matrix}, []mlir.Type{matrix}, func(in []mlir.Value) {
		maps := []affine.Map{affine.Identity(c, 2), affine.Identity(c, 2)}
		square := linalg.Generic(b, maps, []string{"parallel", "parallel"}, in[:1], in[1:],
			func(x []mlir.Value) []mlir.Value {
				return []mlir.Value{arith.MulF(b, x[0], x[0])}
			})
		function.Return(b, square.Result(0))
	})
	if b.Fail(m.Verify()); b.Err() != nil {
		log.Fatal(b.Err())
	}
	fmt.Print(m)
	// Output:
	// #map = affine_map<(d0, d1) -> (d0, d1)>
	// module {
	//   func.func @squares(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>) -> tensor<4x4xf32> {
	//     %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x4xf32>) outs(%arg1 : tensor<4x4xf32>) {
	//     ^bb0(%in: f32, %out: f32):
	//       %1 = arith.mulf %in, %in : f32
	//       linalg.yield %1 : f32
	//     } -> tensor<4x4xf32>
	//     return %0 : tensor<4x4xf32>
	//   }
	// }
}
