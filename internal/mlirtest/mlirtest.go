// Package mlirtest gives tests the default MLIR library.
package mlirtest

import (
	"context"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

var open = sync.OnceValues(func() (*mlir.Library, error) {
	if _, err := native.Ensure(context.Background(), native.MLIR, native.EnsureOptions{}); err != nil {
		return nil, err
	}
	return mlir.Open(mlir.OpenOptions{})
})

// Library is the default library, fetched where it is missing. A test that cannot
// have it fails with the command that brings it.
func Library(t testing.TB) *mlir.Library {
	t.Helper()
	l, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Context is a new context that is closed when the test ends.
func Context(t testing.TB) *mlir.Context {
	t.Helper()
	c := Library(t).NewContext(mlir.ContextOptions{})
	t.Cleanup(c.Close)
	return c
}
