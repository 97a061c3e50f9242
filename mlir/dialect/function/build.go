package function

import (
	"github.com/calliope-mlir/calliope/internal/ods"
	"github.com/calliope-mlir/calliope/mlir"
)

// Func creates a func.func, and calls body with its arguments to build it. body ends with
// Return, which Func adds if there are no results and body ends without a terminator.
func Func(b *mlir.Builder, name string, inputs, results []mlir.Type, body func(in []mlir.Value)) mlir.Operation {
	region := b.Region(body, inputs...)
	if len(results) == 0 {
		ods.Terminate(b, region, func() { Return(b) })
	}
	return FuncOp{SymName: name, FunctionType: ods.Signature(b, inputs, results), Body: region}.Create(b)
}

// Declare creates a private func.func without a body: a function that is defined elsewhere.
func Declare(b *mlir.Builder, name string, inputs, results []mlir.Type) mlir.Operation {
	return FuncOp{SymName: name, FunctionType: ods.Signature(b, inputs, results), SymVisibility: "private"}.Create(b)
}
