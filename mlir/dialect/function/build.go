package function

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/mlir"
)

// Func creates a func.func, and calls body with its arguments to build it. body ends with
// Return, which Func adds if there are no results and body ends without a terminator.
func Func(b *mlir.Builder, name string, inputs, results []mlir.Type, body func(in []mlir.Value)) mlir.Operation {
	return FuncOptions{}.Func(b, name, inputs, results, body)
}

// FuncOptions are what a func.func may have besides its name, type and body.
type FuncOptions struct {
	// Visibility says where the function can be referred to. The zero value is mlir.Public. Passes remove private
	// functions that nothing calls.
	Visibility mlir.Visibility
}

// Func is [Func] with these options.
func (o FuncOptions) Func(
	b *mlir.Builder, name string, inputs, results []mlir.Type, body func(in []mlir.Value),
) mlir.Operation {
	region := b.Region(body, inputs...)
	if len(results) == 0 {
		ods.Terminate(b, region, func() { Return(b) })
	}
	op := FuncOp{SymName: name, FunctionType: ods.Signature(b, inputs, results), Body: region}
	switch o.Visibility {
	case "", mlir.Public:
	case mlir.Private, mlir.Nested:
		op.SymVisibility = string(o.Visibility)
	default:
		b.Fail(fmt.Errorf("func.func: %q is no visibility: use mlir.Public, mlir.Private or mlir.Nested", o.Visibility))
	}
	return op.Create(b)
}

// Declare creates a private func.func without a body: a function that is defined elsewhere.
func Declare(b *mlir.Builder, name string, inputs, results []mlir.Type) mlir.Operation {
	return FuncOp{SymName: name, FunctionType: ods.Signature(b, inputs, results), SymVisibility: "private"}.Create(b)
}
