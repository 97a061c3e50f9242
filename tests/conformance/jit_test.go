package conformance

import (
	"context"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// notCompiled are the samples for one device that package jit refuses, and what its error says.
var notCompiled = map[string]string{
	"infeed":  "a callback",
	"outfeed": "a callback",
	"recv":    "a callback",
	"send":    "a callback",
}

// isCompiled reports whether package jit compiles a sample.
func isCompiled(s *sample) bool { return s.replicas <= 1 && notCompiled[s.name()] == "" }

// TestNotCompiled holds that what package jit does not compile is refused with what to do, or why.
func TestNotCompiled(t *testing.T) {
	for _, p := range programs(t, func(s *sample) bool { return !isCompiled(s) && s.op != "replica_id" }) {
		for _, s := range p.samples {
			says := notCompiled[s.name()]
			if s.replicas > 1 {
				says = "several devices"
			}
			_, err := onJIT(t.Context(), p)
			check.Error(t, err, says)
		}
	}
}

// onJIT compiles a program by MLIR alone and runs it.
func onJIT(ctx context.Context, p *program) ([]tensor.View, error) {
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m, err := c.Parse("conformance", p.Module)
	if err != nil {
		return nil, err
	}
	e, err := jit.Compile(ctx, m, jit.Options{})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	return e.Call(ctx, p.Arguments...)
}
