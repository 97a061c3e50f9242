package function_test

import (
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// This example builds a function that calls another one, which is defined elsewhere.
func Example() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	f32 := c.F32Type()
	function.Declare(b, "sin", []mlir.Type{f32}, []mlir.Type{f32})
	function.Func(b, "twice", []mlir.Type{f32}, []mlir.Type{f32}, func(in []mlir.Value) {
		y := function.Call(b, []mlir.Type{f32}, "sin", in[0]).Result(0)
		function.Return(b, arith.AddF(b, y, y))
	})
	if b.Fail(m.Verify()); b.Err() != nil {
		log.Fatal(b.Err())
	}
	fmt.Print(m)
	// Output:
	// module {
	//   func.func private @sin(f32) -> f32
	//   func.func @twice(%arg0: f32) -> f32 {
	//     %0 = call @sin(%arg0) : (f32) -> f32
	//     %1 = arith.addf %0, %0 : f32
	//     return %1 : f32
	//   }
	// }
}
