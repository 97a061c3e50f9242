package jit_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
)

// TestOnClose has functions wait for the end of an executable, one come after it, and one that is nil.
func TestOnClose(t *testing.T) {
	const text = "func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"
	m := check.Must(mlirtest.Context(t).Parse("x", []byte(text)))
	e := check.Must(jit.Compile(t.Context(), m, jit.Options{}))
	var calls []string
	e.OnClose(func() { calls = append(calls, "before") })
	e.OnClose(nil)
	check.NoError(t, e.Close())
	e.OnClose(func() { calls = append(calls, "after") })
	e.OnClose(nil)
	check.Diff(t, "calls", []string{"before", "after"}, calls)
}
