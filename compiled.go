package calliope

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/internal/run/lifetime"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// A compiled is a Function for arguments of some shapes and structure.
type compiled struct {
	arguments // without inputs
	session   *Session
	since     time.Time
	context   context.Context // of the compile
	cancel    func()
	tracer    atomic.Int64 // the goroutine that builds the module
	traced    atomic.Bool  // the module is built
	ready     chan struct{}

	// These are set before ready is closed.
	err     error
	runner  engine.Executable
	late    bool // whether calls of closures may come after their run
	donated []bool
	results *results       // nil for those of a module
	outputs []tensor.Shape // of a replica
	devices int            // replicas

	fits atomic.Value // the reflect.Type of trees that hold the results, of the last call
	kept bool         // whatever FuncOptions.MaxShapes says; guarded by Function.mu
	life lifetime.Runs
}

// waitLimit is how long Close waits for late calls of closures.
const waitLimit = 10 * time.Second

// compile compiles a trace for a session. It takes over the closures.
func (c *compiled) compile(ctx context.Context, s *Session, t *trace, o FuncOptions) error {
	err := c.make(ctx, s, t, o)
	if err != nil {
		return errors.Join(err, t.release())
	}
	c.runner.OnClose(func() { _ = t.release() }) // an error says that the registry is closed
	c.late = t.late
	return nil
}

func (c *compiled) make(ctx context.Context, s *Session, t *trace, o FuncOptions) (err error) {
	c.donated, c.results = t.donated, t.results
	c.runner, err = load.Compile(ctx, t.module, stages.Options{
		Devices: stages.On(s.engine), Fallback: s.fallback, Compile: o.Compile,
		Prepare: passes.PrepareOptions{RuntimeTokens: o.Build.RuntimeTokens, Overlap: o.Build.Overlap,
			Interruptible: s.interruptible},
	}, s.fetching())
	if err != nil {
		return err
	}
	c.outputs, c.devices = c.runner.Outputs(), c.runner.NumDevices()
	return nil
}

// run runs it once.
func (c *compiled) run(ctx context.Context, r request) ([]Array, error) {
	inputs := make([]engine.Input, len(r.list)*c.devices)
	for i := range inputs {
		one := r.input(i)
		buffer, onDevice := one.input.(*engine.Array)
		switch {
		case one.input == nil:
			return nil, fmt.Errorf("calliope: %s is a tensor.Shape, which has no elements", one.place(r.first))
		case onDevice && c.donated[i%len(r.list)]:
			inputs[i] = engine.Donate(buffer)
		default:
			inputs[i] = one.input
		}
	}
	out, err := c.runner.Run(ctx, inputs...)
	if err != nil {
		r.nameInput(err)
	}
	return out, err
}

func (c *compiled) close() error {
	var err error
	if c.late {
		ctx, stop := context.WithTimeout(context.Background(), waitLimit)
		defer stop()
		if err = c.runner.Barrier(ctx, "close function"); errors.Is(err, callbacks.ErrBarrierInside) ||
			errors.Is(err, engine.ErrClosed) {
			err = nil
		}
	}
	c.life.Close()
	return errors.Join(err, c.runner.Close())
}
