package gomlx

import (
	"context"
	stderrors "errors"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	"github.com/calliope-mlir/calliope"
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
	called   []int64 // Go functions in the registry of the session
	compiled bool

	devices    int    // that run the computation
	mesh       string // the first one that the devices form, or ""
	assignment []compute.DeviceNum
}

var _ compute.Builder = (*builder)(nil)

func newBuilder(b *Backend, name string) *builder {
	made := &builder{backend: b, name: name, devices: 1}
	made.main = &function{builder: made, name: compute.MainName}
	made.start(b.session.Library())
	return made
}

// start starts the module in a library.
func (b *builder) start(library *mlir.Library) {
	b.context = library.NewContext(mlir.ContextOptions{})
	b.ir = ir.New(b.context, ir.Options{
		Through: []string{"github.com/calliope-mlir/calliope/gomlx", "github.com/gomlx/"},
	})
	b.main.start(b.main.name)
}

// Name returns the name of the computation.
func (b *builder) Name() string { return b.name }

// Main returns the main function.
func (b *builder) Main() compute.Function { return b.main }

// NewFunction starts a function that others call.
func (b *builder) NewFunction(name string) (compute.Function, error) {
	f := &function{builder: b, name: name}
	f.start(name)
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

// DistributedAutoSharding makes the devices of meshes share the arrays of the computation, which must be empty.
func (b *builder) DistributedAutoSharding(meshes ...compute.Mesh) error {
	if len(meshes) == 0 || b.closures > 0 || len(b.main.params) > 0 {
		return errors.WithStack(fmt.Errorf("%s: automatic sharding needs a mesh, before the computation has parameters or "+
			"closures", Name))
	}
	// The default library lacks the dialect of meshes, and a session without a plugin is a library.
	session, err := calliope.Open(context.Background(), calliope.Options{Interpreter: true, Offline: b.backend.offline,
		Library: mlir.OpenOptions{Dialects: []string{"sdy"}}})
	if err != nil {
		return errors.WithStack(err)
	}
	if err := stderrors.Join(b.ir.Close(), b.context.Close()); err != nil {
		return errors.WithStack(err)
	}
	b.start(session.Library())
	for _, m := range meshes {
		if err := b.addMesh(m); err != nil {
			return err
		}
	}
	b.mesh = meshes[0].Name
	return b.err()
}

func (b *builder) addMesh(m compute.Mesh) error {
	if len(m.AxesNames) != len(m.AxesSizes) {
		return errors.WithStack(fmt.Errorf("%s: the mesh %q has %d names for %d axes", Name, m.Name, len(m.AxesNames),
			len(m.AxesSizes)))
	}
	axes, devices := make([]ir.Axis, len(m.AxesSizes)), 1
	for i, n := range m.AxesSizes {
		axes[i], devices = ir.Axis{Name: m.AxesNames[i], Size: n}, devices*n
	}
	for i, d := range m.LogicalDeviceAssignment {
		if d != i {
			return errors.WithStack(fmt.Errorf("%s: the mesh %q has the devices %v, which is not supported: use 0, 1, 2 and "+
				"so on", Name, m.Name, m.LogicalDeviceAssignment))
		}
	}
	b.ir.Mesh(m.Name, axes...)
	return b.DistributedSPMD(devices)
}

// sharding returns how an array of the main function is divided: without a specification, it is not.
func (b *builder) sharding(s *compute.ShardingSpec) ir.Sharding {
	if s == nil {
		return ir.Sharding{Mesh: b.mesh}
	}
	return ir.Sharding{Mesh: s.Mesh, Dims: s.Axes}
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
		b.release()
		return nil, errors.WithStack(fmt.Errorf("%s: compile %q: %w", Name, b.name, err))
	}
	made.OnClose(b.release)
	return &executable{Executable: made, backend: b.backend, main: b.main, devices: b.devices,
		assignment: b.assignment}, nil
}

func (b *builder) compile() (made *bridge.Executable, err error) {
	defer func() { err = stderrors.Join(err, b.context.Close()) }()
	module, err := b.ir.Module()
	if err != nil {
		return nil, err
	}
	o := bridge.CompileOptions{Replicas: b.devices}
	if b.mesh != "" {
		o = bridge.CompileOptions{Partitions: b.devices}
	}
	return b.backend.client().Compile(context.Background(), passes.Program(module, passes.PrepareOptions{}), o)
}
