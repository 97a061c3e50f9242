package gomlx

import (
	"context"
	stderrors "errors"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
)

// executable is a compiled computation.
type executable struct {
	backend    *Backend
	fixed      engine.Executable // nil if there are dynamic axes
	programs   *programs         // nil if there are none
	main       *function
	devices    int
	assignment []compute.DeviceNum
}

var _ compute.Executable = (*executable)(nil)

// Finalize frees the executable when its last run is over.
func (e *executable) Finalize() {
	if e.fixed != nil {
		_ = e.fixed.Close()
		return
	}
	e.programs.close()
}

// Inputs returns the names and shapes of the parameters.
func (e *executable) Inputs() (names []string, inputs []shapes.Shape) {
	return e.main.names, e.main.inputs
}

// Outputs returns the shapes of the results.
func (e *executable) Outputs() []shapes.Shape { return e.main.outputs }

// Execute runs the computation and waits for it, or for the end of the backend's context.
func (e *executable) Execute(
	inputs []compute.Buffer, donate []bool, device compute.DeviceNum,
) ([]compute.Buffer, error) {
	return e.ExecuteContext(e.backend.context(), inputs, donate, device)
}

// A ContextExecutable is what the executables of this backend are, too.
type ContextExecutable interface {
	compute.Executable
	// ExecuteContext is Execute, except that the error is that of a context which ends before. What is under way then
	// ends later, and its results are dropped. Go functions that the computation calls get the context.
	ExecuteContext(
		ctx context.Context, inputs []compute.Buffer, donate []bool, device compute.DeviceNum,
	) ([]compute.Buffer, error)
}

var _ ContextExecutable = (*executable)(nil)

// ExecuteContext implements ContextExecutable.
func (e *executable) ExecuteContext(
	ctx context.Context, inputs []compute.Buffer, donate []bool, device compute.DeviceNum,
) ([]compute.Buffer, error) {
	outputs, err := e.execute(ctx, inputs, donate, device)
	if err != nil {
		return nil, errors.WithStack(fmt.Errorf("%s: execute: %w", Name, err))
	}
	return outputs, nil
}

func (e *executable) execute(
	ctx context.Context, inputs []compute.Buffer, donate []bool, device compute.DeviceNum,
) (outputs []compute.Buffer, err error) {
	if want := len(e.main.inputs) * e.devices; len(inputs) != want {
		return nil, &engine.InputCountError{Want: len(e.main.inputs), Got: len(inputs), Devices: e.devices}
	} else if donate != nil && len(donate) != want {
		return nil, fmt.Errorf("donate has %d elements for %d inputs", len(donate), want)
	}
	own := make([]*buffer, len(inputs))
	for i, input := range inputs {
		b, ok := input.(*buffer)
		if !ok || b == nil || b.backend != e.backend {
			return nil, fmt.Errorf("input %d is a %T of another backend", i, input)
		}
		own[i] = b
	}
	run, finish, err := e.program(own)
	if err != nil {
		return nil, err
	}
	defer finish()
	if e.backend.IsFinalized() {
		return nil, fmt.Errorf("the backend is %w", bridge.ErrClosed)
	}
	in := make([]engine.Input, len(inputs))
	for i, b := range own {
		var done func() error
		if in[i], done, err = b.input(donate != nil && donate[i]); err != nil {
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
		if done != nil {
			defer func() { err = stderrors.Join(err, done()) }()
		}
	}
	if len(e.assignment) == 1 {
		device = e.assignment[0]
	}
	if e.devices == 1 {
		ctx = engine.OnDevice(ctx, int(device))
	}
	results, err := run.Run(ctx, in...)
	if err != nil {
		return nil, err
	}
	outputs = make([]compute.Buffer, len(results))
	for i, r := range results {
		outputs[i] = &buffer{backend: e.backend, Array: r}
	}
	return outputs, nil
}

// program returns the program for the shapes of inputs, and what ends its use.
func (e *executable) program(inputs []*buffer) (engine.Executable, func(), error) {
	if e.fixed != nil {
		return e.fixed, func() {}, nil
	}
	sizes := shapes.AxisBindings{}
	for i, input := range inputs {
		shape, err := input.Shape()
		if err == nil {
			err = sizes.Extract(e.main.inputs[i%len(e.main.inputs)], shape)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("input %d: %w", i, err)
		}
	}
	return e.programs.use(sizes.Key(), sizes)
}
