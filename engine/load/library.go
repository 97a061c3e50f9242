package load

import (
	"context"
	"errors"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

// Library opens the MLIR library that a module needs, and fetches it if it is missing.
func Library(ctx context.Context, module []byte, o native.EnsureOptions) (*mlir.Library, error) {
	return Fetched(ctx, o, func() (*mlir.Library, error) { return mlir.OpenFor(module) })
}

// Fetched returns what open returns. If open lacks a native part, Fetched fetches that and calls open again.
func Fetched[T any](ctx context.Context, o native.EnsureOptions, open func() (T, error)) (T, error) {
	v, err := open()
	missing, ok := errors.AsType[*native.NotFoundError](err)
	if !ok {
		return v, err
	}
	if _, err := native.Ensure(ctx, missing.Part, o); err != nil {
		return v, err
	}
	return open()
}
