package stages

import (
	"context"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// JIT returns a device that runs stages by package jit: they are compiled by MLIR and LLVM, and need no plugin. Compile
// leaves a module whole for it, with its callbacks in compiled code. A module that jit refuses is cut, and the
// interpreter runs the stages that jit refuses. A warning says so.
func JIT() Device { return jitDevice{} }

// compileWhole returns a module that package jit compiles as it is, or nil if it must be cut.
func (o Options) compileWhole(ctx context.Context, m *mlir.Module) (*jit.Executable, error) {
	replicas, err := o.replicas(m)
	if err != nil || replicas > 1 || o.Place != nil || len(o.Lower) > 0 || len(o.Force) > 0 || o.Policy != ByDevice {
		return nil, err
	}
	if effects, err := stablehlo.RuntimeTokens(m); err != nil || len(effects) > 0 {
		return nil, err // the program orders its runs
	}
	e, err := jit.Compile(ctx, m, jit.Options{Foreign: o.Foreign, JAXCallbacks: o.JAXCallbacks})
	if err == nil {
		return e, nil
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

type jitDevice struct{}

func (jitDevice) String() string  { return "the JIT compiler" }
func (jitDevice) check() error    { return nil }
func (jitDevice) callsBack() bool { return false }
func (jitDevice) place() place    { return place{} }

func (jitDevice) compile(ctx context.Context, s *Stage, exact bool) (*compiledStage, error) {
	made, err := jit.Compile(ctx, s.module, jit.Options{})
	if err == nil {
		return &compiledStage{executable: made, calls: true}, nil
	}
	if !refused(err) {
		return nil, fmt.Errorf("stages: %s: %w", s.Name, err)
	}
	why := fmt.Errorf("stages: %s: %w", s.Name, err)
	slow, err := interpreter{}.compile(ctx, s, exact)
	if err != nil {
		return nil, errors.Join(why, err)
	}
	slow.why = why
	return slow, nil
}
