package conformance

import (
	"context"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

// onXLA compiles a program and runs it.
func onXLA(ctx context.Context, client *bridge.Client, p *program) (results []tensor.View, err error) {
	e, err := client.Compile(ctx, bridge.Source(p.Module), engine.CompileOptions{Replicas: p.replicas})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	inputs := make([]engine.Input, len(p.Arguments))
	for i, v := range p.Arguments {
		inputs[i] = v
	}
	outputs, err := e.Run(ctx, inputs...)
	if err != nil {
		return nil, err
	}
	for _, o := range outputs {
		defer o.Close()
		v, err := o.ToHost(ctx)
		if err != nil {
			return nil, err
		}
		results = append(results, v)
	}
	return results, nil
}
