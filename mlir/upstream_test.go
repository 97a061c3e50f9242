//go:build engines

package mlir_test

import (
	"context"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

// upstream opens upstream LLVM 22 for examples, which have no testing.TB.
func upstream() (*mlir.Library, error) {
	found, err := native.Ensure(context.Background(), native.LLVM, native.EnsureOptions{})
	if err != nil {
		return nil, err
	}
	return mlir.Open(mlir.OpenOptions{Path: found.Path})
}
