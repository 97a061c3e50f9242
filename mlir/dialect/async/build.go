package async

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/mlir"
)

// Execute creates an async.execute: body runs when the tokens are available. It returns the token of
// this execution, and the values that body returns, each as an !async.value.
func Execute(
	b *mlir.Builder, dependencies []mlir.Value, body func() []mlir.Value,
) (token mlir.Value, results []mlir.Value) {
	ods.Needs(b, body != nil)
	var out []mlir.Value
	region := b.Region(func([]mlir.Value) {
		out = body()
		Yield(b, out...)
	})
	var types []mlir.Type
	for _, t := range ods.Types(b, "the results of async.execute", out) {
		types = append(types, b.Type(fmt.Sprintf("!async.value<%s>", t)))
	}
	op := ExecuteOp{Dependencies: dependencies, BodyRegion: region, TokenType: b.Type("!async.token"),
		BodyResultsTypes: types}.Create(b)
	all := ods.Results(op, 1+len(out))
	return all[0], all[1:]
}

// Func creates an async.func, and calls body with its arguments to build it. The results are tokens and
// values of async; body ends with Return, which takes what the values hold.
func Func(b *mlir.Builder, name string, inputs, results []mlir.Type, body func(in []mlir.Value)) mlir.Operation {
	return FuncOp{SymName: name, FunctionType: ods.Signature(b, inputs, results),
		Body: b.Region(body, inputs...)}.Create(b)
}
