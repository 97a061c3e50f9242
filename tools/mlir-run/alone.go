package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// alone reports whether the module runs without a plugin.
func (o options) alone() bool {
	if o.jit || native.PJRTPlugin.Fetchable() {
		return o.jit
	}
	_, err := native.Find(native.PJRTPlugin)
	return errors.As(err, new(*native.NotFoundError))
}

// executeAlone is execute without a plugin.
func (m *module) executeAlone(
	o options, s *standIns, inputs []tensor.View, progress io.Writer,
) (outputs []tensor.View, err error) {
	if m.isUnread() {
		return nil, errors.New("only XLA can read it: run it without --jit, where there is a plugin")
	}
	foreign, err := m.lapack(progress)
	if err != nil {
		return nil, err
	}
	if err := m.serveCalls(o, s); err != nil {
		return nil, err
	}
	slowly := func(why error) error {
		_, err := fmt.Fprintf(progress, "mlir-run: %s: StableHLO's interpreter runs it, slowly: %v\n", m.name, why)
		return err
	}
	e, err := stages.Compile(context.Background(), m.mlir,
		stages.Options{JAXCallbacks: s.jax, Foreign: foreign, Fallback: slowly})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	outputs, err = e.Call(context.Background(), inputs...)
	if err == nil {
		err = e.Barrier(context.Background(), "end of the run")
	}
	return outputs, err
}
