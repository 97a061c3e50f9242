package mlir_test

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// This example builds a function that adds two numbers.
func ExampleBuilder() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	index := c.IndexType()
	function.Func(b, "add", []mlir.Type{index, index}, []mlir.Type{index}, func(in []mlir.Value) {
		function.Return(b, arith.AddI(b, in[0], in[1]))
	})
	b.Fail(m.Verify())
	if err := b.Err(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(m)
	// Output:
	// module {
	//   func.func @add(%arg0: index, %arg1: index) -> index {
	//     %0 = arith.addi %arg0, %arg1 : index
	//     return %0 : index
	//   }
	// }
}
