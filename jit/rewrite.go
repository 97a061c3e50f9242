package jit

import (
	"context"
	"errors"
	"strings"

	"github.com/calliope-mlir/calliope/jit/internal/lower"
	"github.com/calliope-mlir/calliope/mlir"
)

// A rewriter makes the steps of a phase on a module, and returns the module that it then is, in the same context. If
// that is another one, the rewriter has closed the module.
type rewriter func(context.Context, *mlir.Module, *Executable, phase) (*mlir.Module, error)

// A phase is a part of the way from StableHLO to the LLVM dialect.
type phase int

const (
	expanding phase = iota // until the calls of the host are replaced
	lowering
)

func (p phase) steps() []step {
	if p == expanding {
		return expansion
	}
	return steps
}

// rewrite is a rewriter. It makes the steps in this process. If MLIR finds that arrays cannot be changed in place where
// package lower has them, rewrite makes the steps again, with a copy of each such array.
func rewrite(ctx context.Context, m *mlir.Module, e *Executable, p phase) (*mlir.Module, error) {
	if p != lowering {
		return m, e.make(ctx, m, p)
	}
	again := m.Clone()
	err := e.make(ctx, m, p)
	if !cannotShare(err) {
		return m, errors.Join(err, again.Close())
	}
	e.copies = true
	if err := m.Close(); err != nil {
		return again, err
	}
	return again, e.make(ctx, again, p)
}

// make makes the steps of a phase.
func (e *Executable) make(ctx context.Context, m *mlir.Module, p phase) error {
	for _, step := range p.steps() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := e.compiler.begin(m, ""); err != nil {
			return err
		}
		if err := step.run(m, e); err != nil {
			return unsupported(err)
		}
		e.compiler.done(m, step.name)
	}
	return nil
}

// cannotShare reports whether an error is of bufferization, which finds that an array is read after another one was
// written to its buffer.
func cannotShare(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "not bufferizable under the given constraints") ||
		strings.Contains(err.Error(), "is not equivalent to the corresponding iter bbArg"))
}

// unsupported returns an error of a step as an *UnsupportedError.
func unsupported(err error) error {
	if _, ok := errors.AsType[*UnsupportedError](err); ok {
		return err
	}
	if b, ok := errors.AsType[*mlir.BuildError](err); ok {
		err = b.Err // the line of this package's code says nothing about the module
	}
	e := &UnsupportedError{Err: err}
	if one, ok := errors.AsType[*lower.UnsupportedError](err); ok {
		e.Operations = []Operation{{one.Operation, one.Position}}
	}
	return e
}

// begin reports that a pass begins, or another step if it is "".
func (c *compiler) begin(m *mlir.Module, pass string) error {
	if c.watch == nil {
		return nil
	}
	return c.watch(m, pass)
}

// done reports that a pass or another step is done, unless it is "".
func (c *compiler) done(m *mlir.Module, name string) {
	if c.after != nil && name != "" {
		c.after(name, m)
	}
}

// runEach runs passes one by one, each of which is watched.
func (c *compiler) runEach(m *mlir.Module, list []string) error {
	for _, pass := range list {
		if err := c.begin(m, pass); err != nil {
			return err
		}
		if err := runPass(m, pass); err != nil {
			return err
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(pass, "func.func("), "{")
		c.done(m, strings.TrimSuffix(name, ")"))
	}
	return nil
}

// runPass runs a pass by itself.
func runPass(m *mlir.Module, pass string) error {
	p, err := m.Context().NewPassManager(mlir.PassManagerOptions{Pipeline: "builtin.module(" + pass + ")"})
	if err != nil {
		return err
	}
	defer p.Close()
	return p.Run(m)
}
