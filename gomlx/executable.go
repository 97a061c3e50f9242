package gomlx

import (
	"context"
	stderrors "errors"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	"github.com/calliope-mlir/calliope/bridge"
)

// executable is a compiled computation.
type executable struct {
	*bridge.Executable
	backend    *Backend
	main       *function
	devices    int
	assignment []compute.DeviceNum
}

var _ compute.Executable = (*executable)(nil)

// Finalize frees the executable when its last run is over.
func (e *executable) Finalize() { _ = e.Close() }

// Inputs returns the names and shapes of the parameters.
func (e *executable) Inputs() (names []string, inputs []shapes.Shape) {
	return e.main.names, e.main.inputs
}

// Outputs returns the shapes of the results.
func (e *executable) Outputs() []shapes.Shape { return e.main.outputs }

// Execute runs the computation and waits for it.
func (e *executable) Execute(
	inputs []compute.Buffer, donate []bool, device compute.DeviceNum,
) ([]compute.Buffer, error) {
	outputs, err := e.execute(inputs, donate, device)
	if err != nil {
		return nil, errors.WithStack(fmt.Errorf("%s: execute: %w", Name, err))
	}
	return outputs, nil
}

func (e *executable) execute(
	inputs []compute.Buffer, donate []bool, device compute.DeviceNum,
) (outputs []compute.Buffer, err error) {
	if want := len(e.main.inputs) * e.devices; len(inputs) != want {
		return nil, &bridge.InputCountError{Want: len(e.main.inputs), Got: len(inputs), Devices: e.devices}
	} else if donate != nil && len(donate) != want {
		return nil, fmt.Errorf("donate has %d elements for %d inputs", len(donate), want)
	}
	in := make([]bridge.Input, len(inputs))
	for i, input := range inputs {
		b, ok := input.(*buffer)
		if !ok || b == nil {
			return nil, fmt.Errorf("input %d is a %T of another backend", i, input)
		}
		var done func() error
		if in[i], done, err = b.input(donate != nil && donate[i]); err != nil {
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
		if done != nil {
			defer func() { err = stderrors.Join(err, done()) }()
		}
	}
	ctx := context.Background()
	if len(e.assignment) == 1 {
		device = e.assignment[0]
	}
	if e.devices == 1 {
		ctx = bridge.OnDevice(ctx, int(device))
	}
	results, err := e.Run(ctx, in...)
	if err != nil {
		return nil, err
	}
	outputs = make([]compute.Buffer, len(results))
	for i, r := range results {
		outputs[i] = &buffer{backend: e.backend, Buffer: r}
	}
	return outputs, nil
}
