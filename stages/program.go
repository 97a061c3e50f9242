package stages

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/internal/dispatch"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// An Executable is a compiled module: a [*Program], or a *bridge.Executable. It is safe for
// concurrent use.
type Executable interface {
	// Inputs and Outputs return the shapes of the parameters and results.
	Inputs() []tensor.Shape
	Outputs() []tensor.Shape
	// Call runs the module on host arrays, and returns host arrays.
	Call(ctx context.Context, inputs ...tensor.View) ([]tensor.View, error)
	// Run runs the module. The caller must close the buffers that it returns.
	Run(ctx context.Context, inputs ...bridge.Input) ([]*bridge.Buffer, error)
	// Close releases the module. Runs in flight go on.
	Close() error
}

// Compile compiles a module for a device. If the device can call back, and no option asks for something else, the
// result is a *bridge.Executable of the whole module. Otherwise it is a *Program of its stages.
func Compile(ctx context.Context, m *mlir.Module, o Options) (Executable, error) {
	d := o.device()
	if d.callsBack() && len(o.Lower) == 0 && len(o.Force) == 0 {
		return d.client().Compile(ctx, stablehlo.Program(m), bridge.CompileOptions{})
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

// A Program is a module in stages, which are compiled. It is safe for concurrent use.
type Program struct {
	device          Device
	inputs, outputs []tensor.Shape
	main            *body
	compiled        []program // by Stage.number
	slots           []*dispatch.Slot
	group           *dispatch.Group

	lastRun atomic.Int64
	mu      sync.Mutex
	runs    int
	closed  bool
}

// Compile compiles the stages and binds the callbacks that the program calls between them. The
// plan can be compiled again, and closed.
func (p *Plan) Compile(ctx context.Context) (*Program, error) {
	slots, err := bind(p.callbacks)
	if err != nil {
		return nil, err
	}
	made := &Program{device: p.device, inputs: p.inputs, outputs: p.outputs, main: p.main, slots: slots}
	if made.compiled, err = p.compileStages(ctx); err != nil {
		closeSlots(slots)
		return nil, err
	}
	made.group = dispatch.NewGroup(dispatch.GroupOptions{Name: "stages"})
	return made, nil
}

// Inputs returns the shapes of the parameters.
func (p *Program) Inputs() []tensor.Shape { return clonedAll(p.inputs) }

// Outputs returns the shapes of the results.
func (p *Program) Outputs() []tensor.Shape { return clonedAll(p.outputs) }

func clonedAll(shapes []tensor.Shape) []tensor.Shape {
	list := make([]tensor.Shape, len(shapes))
	for i, s := range shapes {
		list[i] = s.Clone()
	}
	return list
}

// Close releases the compiled stages, after the runs in flight. Closing it again does nothing.
func (p *Program) Close() error {
	p.mu.Lock()
	closed, runs := p.closed, p.runs
	p.closed = true
	p.mu.Unlock()
	if closed || runs > 0 {
		return nil
	}
	return p.free()
}

func (p *Program) free() error {
	p.group.Close()
	closeSlots(p.slots)
	return closeStages(p.compiled)
}

// Barrier waits until every callback of every earlier run is done, and returns the errors of taps since the last one,
// as callbacks.Barrier does for all.
func (p *Program) Barrier(ctx context.Context, name string) error { return p.group.Barrier(ctx, name) }

// Call runs the module on host arrays, and returns host arrays. The error of a callback or of a stage is a
// *[Error].
func (p *Program) Call(ctx context.Context, inputs ...tensor.View) ([]tensor.View, error) {
	args := make([]*value, len(inputs))
	for i, v := range inputs {
		args[i] = onHost(v)
	}
	var out []tensor.View
	err := p.run(ctx, args, func(r *run, results []*value) error {
		for _, v := range results {
			host, err := v.host(r.ctx)
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

// Run runs the module. The inputs are buffers of the device's client, or host arrays. On the interpreter there are
// no buffers: use Call.
func (p *Program) Run(ctx context.Context, inputs ...bridge.Input) ([]*bridge.Buffer, error) {
	client := p.device.client()
	if client == nil {
		return nil, fmt.Errorf("stages: Run: %s has no buffers: use Call", p.device)
	}
	args := make([]*value, len(inputs))
	for i, in := range inputs {
		switch in := in.(type) {
		case *bridge.Buffer:
			args[i] = onDevice(in, false)
		case tensor.View:
			args[i] = onHost(in)
		default:
			return nil, fmt.Errorf("stages: Run: input %d is a %T: it must be a *bridge.Buffer or a tensor.View", i, in)
		}
	}
	var out []*bridge.Buffer
	err := p.run(ctx, args, func(r *run, results []*value) error {
		for _, v := range results {
			if b := v.take(); b != nil {
				out = append(out, b)
				continue
			}
			host, err := v.host(r.ctx)
			if err != nil {
				return err
			}
			b, err := client.BufferFromHost(r.ctx, host, 0)
			if err != nil {
				return err
			}
			out = append(out, b)
		}
		return nil
	})
	if err != nil {
		for _, b := range out {
			_ = b.Close()
		}
		return nil, err
	}
	return out, nil
}
