package calliope

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/bridge/preflight"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/lifetime"
	"github.com/calliope-mlir/calliope/internal/model"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
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
	err      error
	runner   engine.Executable
	late     bool // whether calls of closures may come after their run
	donated  []bool
	results  *results       // nil for those of a module
	outputs  []tensor.Shape // of a replica
	replicas int
	divided  *model.Divided // if devices share the module

	fits atomic.Value // the reflect.Type of trees that hold the results, of the last call
	kept bool         // whatever FuncOptions.MaxShapes says; guarded by Function.mu
	life lifetime.Runs
}

// waitLimit is how long Close waits for late calls of closures.
const waitLimit = 10 * time.Second

// compile compiles a trace for a session: on its plugin, or in stages if it has none that calls back. It takes over the
// closures.
func (c *compiled) compile(ctx context.Context, s *Session, t *trace, o FuncOptions) error {
	err := c.make(ctx, s, t, o)
	if err != nil {
		return errors.Join(err, t.release())
	}
	c.runner.OnClose(func() { _ = t.release() }) // an error says that the registry is closed
	c.late = t.late
	return nil
}

func (c *compiled) make(ctx context.Context, s *Session, t *trace, o FuncOptions) error {
	declared, err := sharding.Read(t.module)
	if err != nil {
		return fmt.Errorf("calliope: %w", err)
	}
	compile := o.Compile
	compile.Replicas = max(compile.Replicas, declared.Replicas)
	compile.Partitions = max(compile.Partitions, declared.Partitions)
	compile.GSPMD = compile.GSPMD || declared.GSPMD
	c.donated, c.results, c.replicas = t.donated, t.results, compile.Replicas
	signature, err := model.SignatureOf(t.module)
	if err != nil {
		return fmt.Errorf("calliope: %w", err)
	}
	c.outputs = signature.Results
	foreign, err := model.LAPACKOf(ctx, t.module, s.fetching())
	if err != nil {
		return err
	}
	if err := checkCalls(t.module, compile); err != nil {
		return err
	}
	if s.client == nil || !s.plugin.CallsBack() {
		return c.makeStages(ctx, s, t, compile, foreign)
	}
	for _, target := range foreign {
		if err := s.plugin.RegisterForeign(target); err != nil {
			return err
		}
	}
	prepare := passes.PrepareOptions{RuntimeTokens: o.Build.RuntimeTokens, Overlap: o.Build.Overlap,
		Interruptible: s.interruptible}
	// Close waits for XLA, which cannot stop.
	e, err := s.client.Compile(context.WithoutCancel(ctx), passes.Program(t.module, prepare), compile)
	if err != nil {
		return err
	}
	if compile.Partitions > 1 {
		declared.Params = declared.Params[min(signature.Tokens, len(declared.Params)):]
		declared.Results = declared.Results[min(signature.Tokens, len(declared.Results)):]
		d, err := model.Divide(e, signature, declared)
		if err != nil {
			return errors.Join(fmt.Errorf("calliope: %w", err), e.Close())
		}
		c.divided = &d
	}
	c.runner = e
	return nil
}

// checkCalls returns an error for callbacks that are not registered, or for other types. Other problems are those of
// the compile: not all handlers of other targets are known here.
func checkCalls(m *mlir.Module, o bridge.CompileOptions) error {
	err := preflight.Check(m, preflight.Options{JAXCallbacks: o.JAXCallbacks, Partitions: o.Partitions})
	found, ok := errors.AsType[*preflight.Error](err)
	if !ok {
		return err
	}
	found.Problems = slices.DeleteFunc(found.Problems, func(p preflight.Problem) bool {
		return p.Kind != preflight.MissingCallback && p.Kind != preflight.WrongSignature &&
			p.Kind != preflight.MissingCall
	})
	if len(found.Problems) == 0 {
		return nil
	}
	return found
}

func (c *compiled) makeStages(
	ctx context.Context, s *Session, t *trace, o bridge.CompileOptions, foreign []callbacks.ForeignTarget,
) error {
	if o.Partitions > 1 {
		return errors.New("calliope: devices share the module, which needs a plugin that calls back")
	}
	options := stages.Options{Replicas: o.Replicas, JAXCallbacks: o.JAXCallbacks, Exact: o.Exact, Foreign: foreign,
		Devices: s.devices, Fallback: s.fallback}
	made, err := stages.Compile(ctx, t.module, options)
	if err != nil {
		return err
	}
	c.runner = made
	return nil
}

// run runs it once.
func (c *compiled) run(ctx context.Context, r request) (out outputs, err error) {
	if c.divided != nil {
		out.views, err = c.runDivided(ctx, r)
		return out, err
	}
	inputs := make([]engine.Input, len(r.list)*max(c.replicas, 1))
	for i := range inputs {
		one := r.input(i)
		buffer, onDevice := one.input.(*engine.Array)
		switch {
		case one.input == nil:
			return out, r.errNoElements(one)
		case onDevice && c.donated[i%len(r.list)]:
			inputs[i] = engine.Donate(buffer)
		default:
			inputs[i] = one.input
		}
	}
	if out.arrays, err = c.runner.Run(ctx, inputs...); err != nil {
		r.nameInput(err)
	}
	return out, err
}

func (r request) errNoElements(one argument) error {
	return fmt.Errorf("calliope: %s is a tensor.Shape, which has no elements", one.place(r.first))
}

// runDivided divides the arguments among the devices, and joins the results.
func (c *compiled) runDivided(ctx context.Context, r request) ([]tensor.View, error) {
	views := make([]tensor.View, len(r.list)*max(c.replicas, 1))
	for i := range views {
		var ok bool
		one := r.input(i)
		switch input := one.input.(type) {
		case nil:
			return nil, r.errNoElements(one)
		case tensor.View:
			views[i], ok = input, true
		}
		if !ok {
			return nil, fmt.Errorf("calliope: %s is an Array, and the function takes arrays of the host: use ToHost",
				one.place(r.first))
		}
	}
	parts, err := c.divided.Split(views)
	if err != nil {
		return nil, fmt.Errorf("calliope: %w", err)
	}
	inputs := make([]engine.Input, len(parts))
	for i, p := range parts {
		inputs[i] = p
	}
	buffers, err := c.runner.Run(ctx, inputs...)
	if err != nil {
		return nil, err
	}
	all := make([]tensor.View, len(buffers))
	for i, b := range buffers {
		if c.divided.Needs(i) && err == nil {
			all[i], err = b.ToHost(ctx)
		}
		err = errors.Join(err, b.Close())
	}
	if err != nil {
		return nil, err
	}
	return c.divided.Join(all)
}

func (c *compiled) close() error {
	var err error
	if c.late {
		ctx, stop := context.WithTimeout(context.Background(), waitLimit)
		defer stop()
		if err = c.runner.Barrier(ctx, "close function"); errors.Is(err, callbacks.ErrBarrierInside) ||
			errors.Is(err, bridge.ErrClosed) {
			err = nil
		}
	}
	c.life.Close()
	return errors.Join(err, c.runner.Close())
}
