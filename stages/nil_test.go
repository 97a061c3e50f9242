package stages_test

import (
	"context"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/stages"
)

// A nil module, context or input is an error.
func TestNilArguments(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	m := halves(t, "double")
	client := devices(t, 1)
	const noContext, noModule = "the context is nil: give context.Background()", "stages: the module is nil"
	var ctx context.Context
	_, err := stages.Compile(t.Context(), m, stages.Options{Devices: stages.On(nil)})
	check.Error(t, err, "stages: Options.Devices[0]: ")
	for _, o := range []stages.Options{
		{}, {Devices: stages.On(client.Engine())},
		{Devices: stages.On(client.Engine()), Force: map[string]stages.Decision{"double": stages.Boundary}},
	} {
		_, err := stages.Compile(t.Context(), nil, o)
		check.Error(t, err, noModule)
		_, err = stages.Cut(nil, o)
		check.Error(t, err, noModule)
		_, err = stages.Load(nil, nil, stages.Options{Devices: o.Devices})
		check.Error(t, err, "stages: Load: the MLIR context is nil")
		_, err = stages.Compile(ctx, m, o)
		check.Error(t, err, noContext)
		plan := check.Must(stages.Cut(m, o))
		check.Cleanup(t, plan)
		_, err = plan.Compile(ctx)
		check.Error(t, err, noContext)
		e := check.Must(stages.Compile(t.Context(), m, o))
		check.Cleanup(t, e)
		_, err = e.Call(ctx, floats(1, 2, 3, 4))
		check.Error(t, err, noContext)
		if p, ok := e.(*stages.Executable); ok {
			check.Error(t, p.Barrier(ctx, "b"), noContext)
		}
		if o.Devices == nil {
			continue
		}
		_, err = e.Run(ctx, floats(1, 2, 3, 4))
		check.Error(t, err, noContext)
		for _, in := range []engine.Input{nil, (*engine.Array)(nil), engine.Donate(nil)} {
			_, err = e.Run(t.Context(), in)
			check.Error(t, err, "input 0: ")
		}
	}
}
