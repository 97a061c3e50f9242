package ods

import (
	"errors"

	"github.com/calliope-mlir/calliope/mlir"
)

// Needs keeps an error unless the functions that build the bodies of an operation are given.
func Needs(b *mlir.Builder, given bool) {
	if !given {
		b.Fail(errors.New("the function that builds the body is nil"))
	}
}

// Signature returns a function type. If a type is none of the context, it keeps the error.
func Signature(b *mlir.Builder, inputs, results []mlir.Type) (t mlir.Type) {
	if b.Err() == nil {
		b.Try(func() { t = b.Context().FunctionType(inputs, results) })
	}
	return t
}
