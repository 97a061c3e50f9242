package interpreter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
)

// Engine returns the interpreter as an engine, whose memory is that of the host. It compiles programs that have their
// modules, such as those of passes.Program, without callbacks: package stages calls these between stages.
func Engine() engine.Engine { return interpreter{} }

type interpreter struct{ engine.HostEngine }

// String implements engine.Engine.
func (interpreter) String() string { return "the interpreter" }

// Can implements engine.Engine.
func (interpreter) Can() engine.Abilities { return engine.Abilities{OnHost: true} }

// Compile implements engine.Engine.
func (e interpreter) Compile(_ context.Context, p engine.Program, o engine.CompileOptions) (engine.Executable, error) {
	if err := e.CheckOptions(o); err != nil {
		return nil, fmt.Errorf("the interpreter: %w", err)
	}
	withModule, ok := p.(interface{ Module() *mlir.Module })
	if !ok {
		return nil, fmt.Errorf("the interpreter compiles modules of package mlir, and not a %T", p)
	}
	m := withModule.Module()
	main, err := stablehlo.MainOf(m)
	if err = cmp.Or(err, main.CheckStatic()); err != nil {
		return nil, err
	}
	data, err := m.Bytecode()
	if err != nil {
		return nil, err
	}
	c := m.Context().Library().NewContext(mlir.ContextOptions{AllowUnregistered: true})
	own, err := c.Parse("module", data)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if slices.Contains(mlir.DialectsOf(data), "sdy") {
		if err := sharding.Undivide(own); err != nil {
			return nil, errors.Join(fmt.Errorf("the interpreter cannot run it: %w", err), c.Close())
		}
	}
	made, err := compile(own, main.Params, main.Results)
	if err = errors.Join(err, c.Close()); err != nil {
		return nil, err
	}
	return made, nil
}
