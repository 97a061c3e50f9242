package main

import (
	"context"
	"errors"
	"io"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

// openFor opens the MLIR library that a program needs, and fetches it if it is missing.
func openFor(program []byte, progress io.Writer) (*mlir.Library, error) {
	library, err := mlir.OpenFor(program)
	missing, ok := errors.AsType[*native.NotFoundError](err)
	if !ok {
		return library, err
	}
	if _, err := native.Ensure(context.Background(), missing.Part, native.EnsureOptions{Progress: progress}); err != nil {
		return nil, err
	}
	return mlir.OpenFor(program)
}
