package gomlx

import (
	"context"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stages"
)

// interprets reports whether programs run without a plugin.
func (b *Backend) interprets() bool { return b.client() == nil }

// interpret compiles a module for the interpreter, or by package jit.
func (b *builder) interpret(m *mlir.Module) (engine.Executable, error) {
	options := stages.Options{Replicas: b.devices, Devices: b.backend.session.Devices()}
	return stages.Compile(context.Background(), m, options)
}
