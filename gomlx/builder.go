package gomlx

import (
	"context"
	stderrors "errors"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	"github.com/calliope-mlir/calliope/bridge"
	ir "github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

// builder builds a computation: a module in a context of its own.
type builder struct {
	backend  *Backend
	name     string
	context  *mlir.Context
	ir       *ir.Builder
	main     *function
	closures int
	compiled bool

	devices    int // that run the computation
	assignment []compute.DeviceNum
}

var _ compute.Builder = (*builder)(nil)

func newBuilder(b *Backend, name string) *builder {
	made := &builder{backend: b, name: name, devices: 1, context: b.session.Library().NewContext(mlir.ContextOptions{})}
	made.ir = ir.New(made.context, ir.Options{
		Through: []string{"github.com/calliope-mlir/calliope/gomlx", "github.com/gomlx/"},
	})
	made.main = newFunction(made, nil, compute.MainName)
	return made
}

// Name returns the name of the computation.
func (b *builder) Name() string { return b.name }

// Main returns the main function.
func (b *builder) Main() compute.Function { return b.main }

// NewFunction starts a function that others call.
func (b *builder) NewFunction(name string) (compute.Function, error) {
	f := newFunction(b, nil, name)
	return f, b.err()
}

// err returns the first mistake.
func (b *builder) err() error {
	if b.compiled {
		return errors.WithStack(fmt.Errorf("%s: the computation %q is compiled already", Name, b.name))
	}
	return errors.WithStack(b.ir.Err())
}

// OpShape returns the shape of a value.
func (b *builder) OpShape(op compute.Value) (shapes.Shape, error) { return b.main.Shape(op) }

// DistributedSPMD makes each of some devices run the computation, on arrays of its own.
func (b *builder) DistributedSPMD(devices int) error {
	if devices < 1 || devices > b.backend.NumDevices() {
		return errors.WithStack(fmt.Errorf("%s: %d devices are asked for, and there are %d: the option devices=N of "+
			"GOMLX_BACKEND divides a CPU", Name, devices, b.backend.NumDevices()))
	}
	b.devices = devices
	return nil
}

// DistributedAutoSharding is not there yet.
func (b *builder) DistributedAutoSharding(...compute.Mesh) error {
	return errors.Wrapf(compute.ErrNotImplemented, "%s: automatic sharding", Name)
}

// DeviceAssignment takes devices in their order only.
func (b *builder) DeviceAssignment(devices ...compute.DeviceNum) error {
	for i, d := range devices {
		if int(d) != i && len(devices) > 1 || int(d) >= b.backend.NumDevices() || d < 0 {
			return errors.WithStack(fmt.Errorf("%s: the devices %v are not supported: use one of the %d devices, or 0, 1, 2 "+
				"and so on", Name, devices, b.backend.NumDevices()))
		}
	}
	b.assignment = devices
	return nil
}

// Compile compiles the computation. The builder cannot be used after it.
func (b *builder) Compile() (compute.Executable, error) {
	if err := b.err(); err != nil {
		return nil, err
	}
	if b.assignment != nil && len(b.assignment) != b.devices {
		return nil, errors.WithStack(fmt.Errorf("%s: %d devices are assigned to a computation for %d", Name,
			len(b.assignment), b.devices))
	}
	made, err := b.compile()
	b.compiled = true
	if err != nil {
		return nil, errors.WithStack(fmt.Errorf("%s: compile %q: %w", Name, b.name, err))
	}
	return &executable{Executable: made, backend: b.backend, main: b.main, devices: b.devices,
		assignment: b.assignment}, nil
}

func (b *builder) compile() (made *bridge.Executable, err error) {
	defer func() { err = stderrors.Join(err, b.context.Close()) }()
	module, err := b.ir.Module()
	if err != nil {
		return nil, err
	}
	return b.backend.client().Compile(context.Background(), passes.Program(module, passes.PrepareOptions{}),
		bridge.CompileOptions{Replicas: b.devices})
}
