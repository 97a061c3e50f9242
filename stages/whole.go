package stages

import (
	"context"
	"errors"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// compileWhole returns a module that one engine compiles as it is, with its callbacks, or nil if it must be cut.
func (o Options) compileWhole(ctx context.Context, m *mlir.Module) (engine.Executable, error) {
	d := o.devices()
	can := d[0].Engine.Can()
	if o.Compile.Partitions > 1 {
		return d[0].Engine.Compile(ctx, passes.Program(m, o.Prepare), o.Compile)
	}
	if len(d) > 1 || d[0].Number > 0 || !can.Callbacks || len(o.Lower) > 0 || len(o.Force) > 0 {
		return nil, nil
	}
	replicas, err := o.replicas(m)
	if err != nil {
		return nil, err
	}
	if !can.All {
		effects, err := stablehlo.RuntimeTokens(m)
		if err != nil || len(effects) > 0 || o.Prepare.RuntimeTokens || replicas > 1 || o.Place != nil ||
			o.Strategy != ByDevice {
			return nil, err // the program orders its runs
		}
	}
	compile := o.Compile
	compile.Replicas = replicas
	e, err := d[0].Engine.Compile(ctx, passes.Program(m, o.Prepare), compile)
	if refused := new(engine.RefusedError); errors.As(err, &refused) && callop.Partitions(m) == 1 {
		return nil, nil // one of several partitions is not cut
	}
	return e, err
}
