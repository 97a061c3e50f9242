package gomlx

import (
	"context"
	"sync"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stages"
)

// interprets reports whether programs run without a plugin.
func (b *Backend) interprets() bool { return b.client() == nil }

// interpreted is a program that runs without a plugin.
type interpreted struct {
	stages.Executable
	called *called
	closed sync.Once
}

// interpret compiles a module for the interpreter, or by package jit.
func (b *builder) interpret(m *mlir.Module) (stages.Executable, error) {
	options := stages.Options{Replicas: b.devices, Devices: b.backend.session.Devices()}
	made, err := stages.Compile(context.Background(), m, options)
	if err != nil {
		return nil, err
	}
	b.called.keep()
	return &interpreted{Executable: made, called: b.called}, nil
}

// Close frees the program.
func (p *interpreted) Close() error {
	p.closed.Do(p.called.drop)
	return p.Executable.Close()
}
