package jit

import (
	"context"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/mlir"
)

// Engine returns this package as an engine, whose memory is that of the host. What it compiles is an *[Executable].
func Engine() engine.Engine { return jitEngine{} }

type jitEngine struct{ engine.HostEngine }

// A ModuleProgram is a program that has its module. The engine compiles that, and reads what another one has.
type ModuleProgram interface {
	engine.Program
	Module() *mlir.Module
}

// String implements engine.Engine.
func (jitEngine) String() string { return "the JIT compiler" }

// Can implements engine.Engine.
func (jitEngine) Can() engine.Abilities { return engine.Abilities{Callbacks: true, OnHost: true} }

// Compile implements engine.Engine.
func (e jitEngine) Compile(ctx context.Context, p engine.Program, o engine.CompileOptions) (
	_ engine.Executable, err error,
) {
	if err := e.CheckOptions(o); err != nil {
		return nil, fmt.Errorf("jit: %w", err)
	}
	m, done, err := moduleOf(p)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	made, err := Compile(ctx, m, Options{Foreign: o.Foreign, JAXCallbacks: o.JAXCallbacks})
	if err == nil {
		return made, nil
	}
	_, lacks := errors.AsType[*UnsupportedError](err)
	if _, noEngine := errors.AsType[*mlir.UnsupportedError](err); lacks || noEngine {
		err = &engine.RefusedError{Err: err}
	}
	return nil, err
}

// moduleOf returns the module of a program. The caller calls done when it is compiled.
func moduleOf(p engine.Program) (m *mlir.Module, done func() error, err error) {
	if p, ok := p.(ModuleProgram); ok {
		return p.Module(), func() error { return nil }, nil
	}
	data, err := p.Artifact("")
	if err != nil {
		return nil, nil, err
	}
	l, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return nil, nil, err
	}
	c := l.NewContext(mlir.ContextOptions{AllowUnregistered: true})
	if m, err = c.Parse("module", data); err != nil {
		return nil, nil, errors.Join(err, c.Close())
	}
	return m, c.Close, nil
}
