package jit

import (
	"errors"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/jit/internal/lower"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestErrorHasNoLineOfCompiler has a mistake of a step in the operations that it builds.
func TestErrorHasNoLineOfCompiler(t *testing.T) {
	err := &mlir.BuildError{File: "buffers.go", Line: 7, Err: errors.New("making a type")}
	check.Text(t, unsupported(err), "jit: the module cannot be compiled: making a type")
	if got := lower.Reason(err); got != "making a type" {
		t.Errorf("the reason is %q", got)
	}
}
