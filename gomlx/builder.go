package gomlx

import (
	"context"
	stderrors "errors"
	"fmt"
	"runtime"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	"github.com/calliope-mlir/calliope"
	ir "github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/interpreter"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stages"
)

// builder builds a computation: what is added to it is added to each of its traces.
type builder struct {
	backend   *Backend
	name      string
	library   *mlir.Library
	traces    []*trace // one, or two at different sizes if there are dynamic axes; none after Compile
	steps     []step   // that the traces have made
	functions int
	main      *function
	called    *called
	forgotten runtime.Cleanup // releases called
	compiled  bool

	axes  map[string]axis   // the dynamic axes by their names
	named map[[2]int]string // names of dynamic axes by their sizes in the traces

	devices    int               // that run the computation
	mesh       string            // the first one that the devices form, or ""
	sizes      map[[2]string]int // of the axes of meshes, by the names of mesh and axis
	assignment []compute.DeviceNum
}

var _ compute.Builder = (*builder)(nil)

func newBuilder(b *Backend, name string) *builder {
	made := &builder{backend: b, name: name, devices: 1, axes: map[string]axis{},
		named: map[[2]int]string{}, sizes: map[[2]string]int{}}
	made.called = &called{backend: b, users: 1}
	made.forgotten = runtime.AddCleanup(made, (*called).drop, made.called)
	made.main = &function{builder: made, name: compute.MainName}
	made.start(b.session.Library())
	return made
}

// start starts the module in a library.
func (b *builder) start(library *mlir.Library) {
	b.library, b.steps, b.functions = library, nil, 1
	b.traces = []*trace{b.newTrace(map[string]int{})}
	_ = b.main.start(compute.MainName) // the first step cannot fail
}

func (b *builder) newFunction(name string, parent *function) *function {
	b.functions++
	return &function{builder: b, name: name, parent: parent, number: b.functions - 1}
}

// Name returns the name of the computation.
func (b *builder) Name() string { return b.name }

// Main returns the main function.
func (b *builder) Main() compute.Function { return b.main }

// NewFunction starts a function that others call.
func (b *builder) NewFunction(name string) (compute.Function, error) {
	f := b.newFunction(name, nil)
	return f, f.start(name)
}

// do makes a step in each trace.
func (b *builder) do(run func(t *trace)) error {
	if err := b.err(); err != nil {
		return err
	}
	s := step{run, b.traces[0].ir.Place()}
	b.steps = append(b.steps, s)
	for _, t := range b.traces {
		t.do(s)
	}
	return b.err()
}

// err returns the first mistake.
func (b *builder) err() error {
	if b.compiled {
		return errors.WithStack(fmt.Errorf("%s: the computation %q is compiled already", Name, b.name))
	}
	for _, t := range b.traces {
		if err := t.err(); err != nil {
			return errors.WithStack(err)
		}
	}
	return nil
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
	if err := b.err(); err != nil {
		return err
	}
	if len(meshes) == 0 || len(b.steps) > 1 {
		return errors.WithStack(fmt.Errorf("%s: automatic sharding needs a mesh, before the computation has parameters or "+
			"closures", Name))
	}
	// The default library lacks the dialect of meshes, and a session without a plugin is a library.
	session, err := calliope.Open(context.Background(), calliope.Options{Engine: interpreter.Engine(),
		Offline: b.backend.offline})
	if err != nil {
		return errors.WithStack(err)
	}
	if err := b.traces[0].close(); err != nil {
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
		b.sizes[[2]string{m.Name, m.AxesNames[i]}] = n
	}
	for i, d := range m.LogicalDeviceAssignment {
		if d != i {
			return errors.WithStack(fmt.Errorf("%s: the mesh %q has the devices %v, which is not supported: use 0, 1, 2 and "+
				"so on", Name, m.Name, m.LogicalDeviceAssignment))
		}
	}
	if err := b.do(func(t *trace) { t.ir.Mesh(m.Name, axes...) }); err != nil {
		return err
	}
	return b.DistributedSPMD(devices)
}

// sharding returns how an array of the main function is divided: without a specification, it is not.
func (b *builder) sharding(s *compute.ShardingSpec) ir.Sharding {
	if s == nil {
		return ir.Sharding{Mesh: b.mesh}
	}
	return ir.Sharding{Mesh: s.Mesh, Dims: s.Axes}
}

// resultSharding returns how a result of the main function is divided. One that cannot be divided into equal parts
// stays whole: GoMLX gives the last specification of a graph's results also to the variables that the graph changes,
// such as the state of random numbers, which it keeps whole.
func (b *builder) resultSharding(s *compute.ShardingSpec, result shapes.Shape) ir.Sharding {
	if s == nil {
		return b.sharding(nil)
	}
	for i, axes := range s.Axes {
		parts := 1
		for _, axis := range axes {
			if n, known := b.sizes[[2]string{s.Mesh, axis}]; known {
				parts *= n
			}
		}
		if i >= result.Rank() || parts > 1 && result.Dimensions[i]%parts != 0 {
			return ir.Sharding{Mesh: s.Mesh}
		}
	}
	return b.sharding(s)
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

// Compile compiles the computation, or with dynamic axes only verifies it. The builder cannot be used after it.
func (b *builder) Compile() (compute.Executable, error) {
	if err := b.err(); err != nil {
		return nil, err
	}
	if b.assignment != nil && len(b.assignment) != b.devices {
		return nil, errors.WithStack(fmt.Errorf("%s: %d devices are assigned to a computation for %d", Name,
			len(b.assignment), b.devices))
	}
	made := &executable{backend: b.backend, main: b.main, devices: b.devices, assignment: b.assignment}
	err := b.compile(made)
	b.traces, b.compiled = nil, true
	b.forgotten.Stop()
	if made.programs == nil || err != nil {
		b.called.drop()
	}
	if err != nil {
		return nil, errors.WithStack(fmt.Errorf("%s: compile %q: %w", Name, b.name, err))
	}
	return made, nil
}

func (b *builder) compile(e *executable) (err error) {
	if len(b.traces) == 1 {
		b.steps = nil
		e.fixed, err = b.traces[0].compile(b)
		return err
	}
	e.programs = &programs{limit: b.backend.sizes, builder: b, by: map[string]*program{}}
	for _, t := range b.traces {
		_, mistake := t.ir.Module()
		err = stderrors.Join(err, t.sized(mistake), t.close())
	}
	return err
}

// compile ends the trace.
func (t *trace) compile(b *builder) (made engine.Executable, err error) {
	defer func() { err = stderrors.Join(t.sized(err), t.close()) }()
	module, err := t.ir.Module()
	if err != nil {
		return nil, err
	}
	compile := engine.CompileOptions{Replicas: b.devices}
	if b.mesh != "" {
		compile = engine.CompileOptions{Partitions: b.devices}
	}
	made, err = stages.Compile(context.Background(), module,
		stages.Options{Devices: stages.On(b.backend.session.Engine()), Fallback: b.backend.fallback, Compile: compile})
	if err != nil {
		return nil, err
	}
	b.called.keep()
	made.OnClose(b.called.drop)
	return made, nil
}
