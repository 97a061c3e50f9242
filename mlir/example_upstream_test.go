//go:build engines

package mlir_test

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// This example runs a pattern that removes the negation of a negation.
func ExamplePattern() {
	library, err := upstream()
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := library.NewContext(mlir.ContextOptions{})
	defer ctx.Close()
	patterns, err := ctx.NewPatterns(mlir.Pattern{
		Name: "negate-twice",
		Op:   "arith.negf",
		Rewrite: func(op mlir.Operation, r *mlir.Rewriter) (bool, error) {
			inner := op.Operand(0).Owner()
			if inner.IsNil() || inner.Name() != "arith.negf" {
				return false, nil
			}
			r.Replace(op, inner.Operand(0))
			return true, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	module, err := ctx.Parse("negate.mlir", []byte(`
func.func @f(%x: f32) -> f32 {
  %0 = arith.negf %x : f32
  %1 = arith.negf %0 : f32
  return %1 : f32
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := patterns.Apply(module, mlir.GreedyOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(module)
	// Output:
	// module {
	//   func.func @f(%arg0: f32) -> f32 {
	//     return %arg0 : f32
	//   }
	// }
}

// This example defines a dialect with one operation at run time.
func ExampleContext_LoadIRDL() {
	library, err := upstream()
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := library.NewContext(mlir.ContextOptions{})
	defer ctx.Close()
	dialect, err := ctx.Parse("traffic.irdl.mlir", []byte(`
irdl.dialect @traffic {
  irdl.operation @wait {
    %seconds = irdl.is i32
    irdl.operands(seconds: %seconds)
  }
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := ctx.LoadIRDL(dialect); err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{
		`func.func @f(%s: i32) { "traffic.wait"(%s) : (i32) -> ()  return }`,
		`func.func @f(%s: f32) { "traffic.wait"(%s) : (f32) -> ()  return }`,
	} {
		_, err := ctx.Parse("use.mlir", []byte(text))
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// mlir: parse failed: use.mlir:1:25: error: expected 'i32' but got 'f32'
	//   use.mlir:1:25: note: see current operation: "traffic.wait"(%arg0) : (f32) -> ()
}
