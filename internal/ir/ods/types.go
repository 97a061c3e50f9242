package ods

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// Types returns the types of values. If one is nil, it keeps an error in the Builder.
func Types(b *mlir.Builder, what string, values []mlir.Value) []mlir.Type {
	if b.Err() != nil {
		return nil
	}
	types := make([]mlir.Type, len(values))
	for i, v := range values {
		if v.IsNil() {
			b.Fail(fmt.Errorf("value %d of %s is missing", i, what))
			return nil
		}
		types[i] = v.Type()
	}
	return types
}

// Results returns the first n results of an operation.
func Results(op mlir.Operation, n int) []mlir.Value {
	values := make([]mlir.Value, n)
	for i := range values {
		values[i] = op.Result(i)
	}
	return values
}
