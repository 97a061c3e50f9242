package stages

import (
	"context"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/xlacalls"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	interp "github.com/calliope-mlir/calliope/stages/internal/interpreter"
	"github.com/calliope-mlir/calliope/tensor"
)

// Interpreter returns StableHLO's reference interpreter, which needs no plugin. It is slow and exact. Because it
// ends its process when something is wrong, it runs in child processes, which are the program's own
// executable. Compile refuses what it does not support.
func Interpreter() Device { return interpreter{} }

type interpreter struct{}

func (interpreter) String() string  { return "the interpreter" }
func (interpreter) check() error    { return nil }
func (interpreter) callsBack() bool { return false }
func (interpreter) place() place    { return place{} }

func (interpreter) compile(_ context.Context, s *Stage, _ bool) (compiledStage, error) {
	err := expand(s.module)
	if err == nil {
		err = stablehlo.CheckEvaluate(s.module)
	}
	if err != nil {
		return nil, fmt.Errorf("stages: %s: the interpreter cannot run it: %w", s.Name, err)
	}
	made, err := interp.New(s.module)
	if err != nil {
		return nil, err
	}
	return &interpreted{module: made, shapes: s.Outputs}, nil
}

// expand replaces what the interpreter lacks by what it has.
func expand(m *mlir.Module) error {
	if err := stablehlo.CheckElements(m.Operation().Index()); err != nil {
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

// interpreted is a stage on the interpreter.
type interpreted struct {
	module *interp.Module
	shapes []tensor.Shape
	why    error // package jit has refused it; nil if the interpreter was asked for
}

func (p *interpreted) close() error {
	p.module.Close()
	return nil
}

func (p *interpreted) run(ctx context.Context, _ []place, inputs []*value, _ []bool) ([]*value, error) {
	args, err := hosts(ctx, inputs)
	if err != nil {
		return nil, err
	}
	results, err := p.module.Evaluate(ctx, args)
	if err != nil {
		return nil, err
	}
	values := make([]*value, len(results))
	for i, data := range results {
		if i >= len(p.shapes) || len(data) != p.shapes[i].NumBytes() {
			return nil, fmt.Errorf("the interpreter returned %d bytes as result %d", len(data), i)
		}
		v := newArray(p.shapes[i].Clone())
		copy(v.Data, data)
		values[i] = onHost(v)
	}
	return values, nil
}
