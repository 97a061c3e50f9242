package mlir_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/mlir"
)

func Example() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err) // names the command that fetches the library
	}
	ctx := library.NewContext(mlir.ContextOptions{})
	defer ctx.Close()
	module, err := ctx.Parse("twice.mlir", []byte(`
func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.add %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}`))
	if err != nil {
		log.Fatal(err)
	}
	module.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		for _, r := range op.Results() {
			fmt.Println(op.Name(), r.Type())
		}
		return mlir.WalkContinue
	})
	// Output: stablehlo.add tensor<4xf32>
}

// Errors that the library reports about a module have a position. They are never printed.
func ExampleDiagnosticError() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := library.NewContext(mlir.ContextOptions{})
	defer ctx.Close()
	_, err = ctx.Parse("bad.mlir", []byte("func.func @f() -> i32 {\n  return\n}"))
	var refused *mlir.DiagnosticError
	if errors.As(err, &refused) {
		d := refused.Diagnostics[0]
		fmt.Printf("%s line %d: %s\n", d.Position.File, d.Position.Line, d.Message)
	}
	// Output: bad.mlir line 2: 'func.return' op has 0 operands, but enclosing function (@f) returns 1
}
