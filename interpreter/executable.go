package interpreter

import (
	"context"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/ir/quantized"
	"github.com/calliope-mlir/calliope/internal/ir/xlacalls"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/evaluator"
	"github.com/calliope-mlir/calliope/internal/run/lifetime"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// An executable is a module that child processes evaluate.
type executable struct {
	module          *evaluator.Module
	inputs, outputs []tensor.Shape
	life            lifetime.Runs
}

// compile checks a module, for parameters and results of the given shapes, and makes it fit for the interpreter. It
// changes the module.
func compile(m *mlir.Module, inputs, outputs []tensor.Shape) (*executable, error) {
	err := expand(m)
	if err == nil {
		err = stablehlo.CheckEvaluate(m)
	}
	if err != nil {
		return nil, fmt.Errorf("the interpreter cannot run it: %w", err)
	}
	made, err := evaluator.New(m)
	if err != nil {
		return nil, err
	}
	e := &executable{module: made, inputs: inputs, outputs: outputs}
	e.life.OnOver(made.Close)
	return e, nil
}

// expand replaces what the interpreter lacks by what it has.
func expand(m *mlir.Module) error {
	if err := stablehlo.CheckElements(m.Operation().Index()); err != nil {
		return err
	}
	if _, err := quantized.Expand(m); err != nil {
		return err
	}
	if _, err := xlacalls.Expand(m.Operation()); err != nil {
		return err
	}
	p, err := m.Context().NewPassManager(mlir.PassManagerOptions{
		Pipeline: "builtin.module(func.func(chlo-legalize-to-stablehlo))",
	})
	if err != nil {
		return err
	}
	return errors.Join(p.Run(m), p.Close())
}

// Inputs implements engine.Executable.
func (e *executable) Inputs() []tensor.Shape { return engine.Cloned(e.inputs) }

// Outputs implements engine.Executable.
func (e *executable) Outputs() []tensor.Shape { return engine.Cloned(e.outputs) }

// NumDevices implements engine.Executable.
func (e *executable) NumDevices() int { return 1 }

// Call implements engine.Executable.
func (e *executable) Call(ctx context.Context, inputs ...tensor.View) ([]tensor.View, error) {
	return engine.Call(ctx, e, inputs...)
}

// Run implements engine.Executable. The arrays are in the host's memory. Nothing is written to the inputs.
func (e *executable) Run(ctx context.Context, inputs ...engine.Input) ([]*engine.Array, error) {
	if err := dispatch.Ended(ctx); err != nil {
		return nil, err
	}
	if !e.life.Begin() {
		return nil, fmt.Errorf("the module is %w", engine.ErrClosed)
	}
	defer e.life.End()
	in, err := engine.TakeOnHost(inputs, e.inputs)
	if err != nil {
		return nil, err
	}
	defer in.Release()
	elements, err := e.module.Evaluate(ctx, in.Views)
	if err != nil {
		return nil, err
	}
	results, memory, err := in.Results(e.outputs, func(int) (int, bool) { return 0, false })
	if err != nil {
		return nil, err
	}
	for i, to := range memory {
		if i >= len(elements) || len(elements[i]) != len(to.Data) {
			engine.CloseAll(results)
			return nil, fmt.Errorf("the interpreter returned other bytes than those of %s as result %d", to.Shape, i)
		}
		copy(to.Data, elements[i])
	}
	return results, nil
}

// Barrier implements engine.Executable. A module has no callbacks.
func (e *executable) Barrier(ctx context.Context, _ string) error { return dispatch.Ended(ctx) }

// OnClose implements engine.Executable.
func (e *executable) OnClose(f func()) {
	if f != nil {
		e.life.OnOver(f)
	}
}

// Close implements engine.Executable.
func (e *executable) Close() error {
	e.life.Close()
	return nil
}
