package mlir_test

import (
	"context"
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

// This example runs a pass that counts the operations of each function and stores the
// count in an attribute, followed by a pass of the library.
func ExamplePass() {
	part, err := native.Ensure(context.Background(), native.MLIR, native.EnsureOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	library, err := mlir.Open(mlir.OpenOptions{Path: part.Path})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := library.NewContext(mlir.ContextOptions{})
	defer ctx.Close()

	passes, err := ctx.NewPassManager(mlir.PassManagerOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = passes.AddPass(mlir.Pass{
		Name: "count-operations",
		Op:   "func.func",
		Run: func(f mlir.Operation) error {
			n := int64(-1) // the function itself is not counted
			f.Walk(func(mlir.Operation) mlir.WalkAction { n++; return mlir.WalkContinue })
			f.SetAttribute("test.operations", ctx.IntegerAttribute(ctx.IndexType(), n))
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := passes.Add("func.func(cse)"); err != nil {
		fmt.Println(err)
		return
	}

	module, err := ctx.Parse("sum.mlir", []byte(`
func.func @sum(%x: i32) -> (i32, i32) {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  return %0, %1 : i32, i32
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := passes.Run(module); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(module)
	// Output:
	// module {
	//   func.func @sum(%arg0: i32) -> (i32, i32) attributes {test.operations = 3 : index} {
	//     %0 = arith.addi %arg0, %arg0 : i32
	//     return %0, %0 : i32, i32
	//   }
	// }
}
