package stages

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/lifetime"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// Compile compiles a module for devices. If the only one is the first of an engine whose code can call back, no option
// asks for something else, and the engine does not refuse the module, the result is the engine's executable of the
// whole module: a *bridge.Executable or a *jit.Executable. Otherwise it is a *Executable of the module's stages.
func Compile(ctx context.Context, m *mlir.Module, o Options) (engine.Executable, error) {
	if err := cmp.Or(dispatch.Ended(ctx), given(m), o.check()); err != nil {
		return nil, err
	}
	if e, err := o.compileWhole(ctx, m); e != nil || err != nil {
		return e, err
	}
	plan, err := Cut(m, o)
	if err != nil {
		return nil, err
	}
	p, err := plan.Compile(ctx)
	if err != nil {
		return nil, errors.Join(err, plan.Close())
	}
	return p, plan.Close()
}

// An Executable is a module in stages, which are compiled. It is safe for concurrent use.
type Executable struct {
	devices         []Device
	inputs, outputs []tensor.Shape
	replicas        int
	on              []int // the devices of the replicas, nil for one
	numbered        bool
	tokens          tokens
	main            *body
	compiled        []*sharedStage // by Stage.number
	bindings        *bindings
	group           *dispatch.Group

	together sync.Mutex // held while all replicas execute a stage

	life   lifetime.Runs
	closed error // of the compiled stages, when life is over
}

// Compile compiles the stages and binds the callbacks that the program calls between them. The
// plan can be compiled again, and closed.
func (p *Plan) Compile(ctx context.Context) (*Executable, error) {
	p.given("Compile")
	if err := dispatch.Ended(ctx); err != nil {
		return nil, err
	}
	if err := p.open("Plan.Compile"); err != nil {
		return nil, err
	}
	bound, err := bind(p.callbacks)
	if err != nil {
		return nil, err
	}
	made := &Executable{
		devices: p.devices, inputs: p.inputs, outputs: p.outputs, replicas: p.replicas, numbered: p.numbered,
		tokens: p.tokens, main: p.main, bindings: bound,
	}
	for i := range p.replicas {
		if p.replicas > 1 {
			made.on = append(made.on, made.device(0, i).Number)
		}
	}
	if made.compiled, err = p.compileStages(ctx); err != nil {
		bound.close()
		return nil, err
	}
	made.group = dispatch.NewGroup(dispatch.GroupOptions{Name: "stages"})
	made.life.OnOver(made.free)
	return made, nil
}

// Inputs returns the shapes of the parameters.
func (e *Executable) Inputs() []tensor.Shape {
	e.given("Inputs")
	return engine.Cloned(e.inputs)
}

// Outputs returns the shapes of the results.
func (e *Executable) Outputs() []tensor.Shape {
	e.given("Outputs")
	return engine.Cloned(e.outputs)
}

// NumDevices returns the number of replicas.
func (e *Executable) NumDevices() int {
	e.given("NumDevices")
	return e.replicas
}

// Close releases the compiled stages, after the runs in flight. Closing it again does nothing.
func (e *Executable) Close() error {
	e.given("Close")
	if !e.life.Close() {
		return nil
	}
	return e.closed
}

func (e *Executable) free() {
	e.group.Close()
	e.bindings.close()
	e.closed = closeStages(e.compiled)
}

// OnClose registers a function to be called when the program is closed and its last run is over, or at once if that has
// happened.
func (e *Executable) OnClose(f func()) {
	e.given("OnClose")
	if f != nil {
		e.life.OnOver(f)
	}
}

// Barrier waits until every callback of every earlier run is done, and returns the errors of taps since the last one,
// as callbacks.Barrier does for all.
func (e *Executable) Barrier(ctx context.Context, name string) error {
	e.given("Barrier")
	return e.group.Barrier(ctx, name)
}

// device returns the device that executes the stages of a device for a replica. Those on the host have numbers, too,
// which calls get.
func (e *Executable) device(device, replica int) Device {
	d := e.devices[device]
	d.Number += replica
	return d
}

// deviceOf returns the device that an array is on.
func (e *Executable) deviceOf(a *engine.Array) Device {
	i := slices.IndexFunc(e.devices, func(d Device) bool { return d.Engine.Owns(a) })
	return Device{e.devices[i].Engine, a.Device()}
}

// Call runs the module on host arrays, and returns host arrays. The error of a callback or of a stage is a
// *[Error].
func (e *Executable) Call(ctx context.Context, inputs ...tensor.View) ([]tensor.View, error) {
	e.given("Call")
	var out []tensor.View
	err := e.run(ctx, engine.Views(inputs), func(x *execution, results []*value) error {
		for _, v := range results {
			host, err := v.host(x.ctx)
			if err != nil {
				return err
			}
			copied := newArray(host.Shape.Clone())
			copy(copied.Data, host.Data)
			out = append(out, copied)
		}
		return nil
	})
	return out, err
}

// Run runs the module. An Array among the inputs may be on any device of the program's engines. A result is on the
// device that computed it. If a callback, JIT or the interpreter did, it is on the first of Options.Devices that has
// memory of its own. If there is none, it is in the host's memory, as what Run takes then: see engine.NewHostArray.
func (e *Executable) Run(ctx context.Context, inputs ...engine.Input) ([]*engine.Array, error) {
	e.given("Run")
	home := max(0, slices.IndexFunc(e.devices, func(d Device) bool { return !d.onHost() }))
	var out []*engine.Array
	err := e.run(ctx, inputs, func(x *execution, results []*value) error {
		for i, v := range results {
			a, err := e.result(x.ctx, v, e.device(home, i/len(e.outputs)))
			if err != nil {
				return err
			}
			out = append(out, a)
		}
		return nil
	})
	if err != nil {
		engine.CloseAll(out)
		return nil, err
	}
	return out, nil
}

// given panics because a method was called on a nil pointer or a zero value.
func (e *Executable) given(method string) {
	if e == nil || e.group == nil {
		panic(errtext.Receiver("stages: Executable."+method, e == nil, "Compile or Plan.Compile"))
	}
}
