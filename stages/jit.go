package stages

import (
	"context"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/dispatch"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// JIT returns a device that runs stages by package jit: they are compiled by MLIR and LLVM, and need no plugin. Compile
// leaves a module whole for it, with its callbacks in compiled code. A module that jit refuses is cut, and the
// interpreter runs the stages that jit refuses. A warning says so.
func JIT() Device { return jitDevice{} }

// compileWhole returns a module that package jit compiles as it is, or nil if it must be cut.
func (o Options) compileWhole(ctx context.Context, m *mlir.Module) (Executable, error) {
	replicas, err := o.replicas(m)
	if err != nil || replicas > 1 || o.Place != nil || len(o.Lower) > 0 || len(o.Force) > 0 || o.Policy != ByDevice {
		return nil, err
	}
	if effects, err := stablehlo.RuntimeTokens(m); err != nil || len(effects) > 0 {
		return nil, err // the program orders its runs
	}
	e, err := jit.Compile(ctx, m, jit.Options{Foreign: o.Foreign, JAXCallbacks: o.JAXCallbacks})
	if err == nil {
		return wholeModule{e, e.Inputs(), e.Outputs()}, nil
	}
	if refused(err) && callop.Partitions(m) == 1 { // others are not cut
		return nil, nil
	}
	return nil, err
}

// refused reports whether an error of jit.Compile says that jit cannot compile the module, or the library has no
// execution engine.
func refused(err error) bool {
	_, unsupported := errors.AsType[*jit.UnsupportedError](err)
	_, noEngine := errors.AsType[*mlir.UnsupportedError](err)
	return unsupported || noEngine
}

// A wholeModule is a module that package jit has compiled as it is.
type wholeModule struct {
	*jit.Executable
	inputs, outputs []tensor.Shape
}

// Run implements Executable. It reads the inputs in place. What was donated is memory of a result, or of those of later
// runs.
func (e wholeModule) Run(ctx context.Context, inputs ...bridge.Input) ([]*bridge.Buffer, error) {
	if err := dispatch.Ended(ctx); err != nil {
		return nil, err
	}
	taken, err := take(inputs, e.inputs, 1, []Device{JIT()})
	if err == nil {
		err = taken.claim()
	}
	defer taken.release()
	if err != nil {
		return nil, err
	}
	args := taken.values
	views, err := hosts(ctx, args)
	if err != nil {
		return nil, err
	}
	out, memory := make([]*bridge.Buffer, len(e.outputs)), make([]tensor.View, len(e.outputs))
	for i, s := range e.outputs {
		if k, ok := e.Donor(i); ok {
			if b := args[k].first(); b != nil && args[k].last(b) {
				args[k].give(b)
				out[i], memory[i] = b, views[k]
				continue
			}
		}
		if out[i], memory[i], err = bridge.NewHostBuffer(s); err != nil {
			return nil, err
		}
	}
	if err := e.CallInPlace(ctx, memory, views, func(i int) bool { return !args[i].lent }); err != nil {
		closeAll(out)
		return nil, err
	}
	return out, nil
}

type jitDevice struct{}

func (jitDevice) String() string  { return "the JIT compiler" }
func (jitDevice) check() error    { return nil }
func (jitDevice) callsBack() bool { return false }
func (jitDevice) place() place    { return place{} }

func (jitDevice) compile(ctx context.Context, s *Stage, exact bool) (compiledStage, error) {
	made, err := jit.Compile(ctx, s.module, jit.Options{})
	if err == nil {
		return jitStage{made}, nil
	}
	if !refused(err) {
		return nil, fmt.Errorf("stages: %s: %w", s.Name, err)
	}
	why := fmt.Errorf("stages: %s: %w", s.Name, err)
	slow, err := interpreter{}.compile(ctx, s, exact)
	if err != nil {
		return nil, errors.Join(why, err)
	}
	slow.(*interpreted).why = why
	return slow, nil
}

// A jitStage is a stage that package jit has compiled.
type jitStage struct{ executable *jit.Executable }

func (p jitStage) close() error { return p.executable.Close() }

func (p jitStage) run(ctx context.Context, _ []place, inputs []*value, _ []bool) ([]*value, error) {
	args, err := hosts(ctx, inputs)
	if err != nil {
		return nil, err
	}
	results, err := p.executable.Call(ctx, args...)
	if err != nil {
		return nil, err
	}
	values := make([]*value, len(results))
	for i, v := range results {
		values[i] = onHost(v)
	}
	return values, nil
}
