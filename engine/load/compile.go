package load

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/bridge/preflight"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/vmap"
)

// Compile compiles a module for the devices of o: see stages.Compile. It runs on as many devices as the module
// declares, if o does not ask for more; an engine of one device computes what all of them do: see vmap.OneDevice. If
// devices share the module, the inputs and results of the Executable are whole arrays, as if there were one device, and
// its results are in the host's memory. Replicas have inputs and results of their own, also on one device. JAX's calls
// of LAPACK are served; the library is fetched if it is missing.
//
// A callback that is not registered, or for other types, is a *preflight.Error.
func Compile(
	ctx context.Context, m *mlir.Module, o stages.Options, fetch native.EnsureOptions,
) (_ engine.Executable, err error) {
	signature, declared, err := describe(m)
	if err != nil {
		return nil, err
	}
	compile := &o.Compile
	compile.Replicas = max(compile.Replicas, declared.Replicas)
	replicas := 1 // that one device computes
	if len(o.Devices) == 0 || o.Devices[0].Engine.Can().OnHost {
		replicas, compile.Replicas = max(compile.Replicas, 1), 0
		if declared.Partitions > 1 || replicas > 1 {
			m = m.Clone()
			defer func() { err = errors.Join(err, m.Close()) }()
			if err := vmap.OneDevice(m, replicas); err != nil {
				return nil, err
			}
		}
	} else {
		compile.Partitions = max(compile.Partitions, declared.Partitions)
		compile.GSPMD = compile.GSPMD || declared.GSPMD
	}
	lapack, err := LAPACKOf(ctx, m, fetch)
	if err != nil {
		return nil, err
	}
	compile.Foreign = slices.Concat(compile.Foreign, lapack)
	if err := CheckCalls(m, *compile); err != nil {
		return nil, err
	}
	e, err := stages.Compile(ctx, m, o)
	switch {
	case err != nil:
		return nil, err
	case replicas > 1:
		return &replicated{e, replicas}, nil
	case compile.Partitions <= 1:
		return e, nil
	}
	d, err := Divide(e, signature, declared)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("load: %w", err), e.Close())
	}
	return d, nil
}

// CheckCalls returns an error for callbacks that are not registered, or for other types. Other problems are those of
// the compile: not all handlers of other targets are known here. A foreign target may be one of the contract.
func CheckCalls(m *mlir.Module, o engine.CompileOptions) error {
	isForeign := func(target string) bool {
		return slices.ContainsFunc(o.Foreign, func(t callbacks.ForeignTarget) bool { return t.Target == target })
	}
	err := preflight.Check(m, preflight.Options{JAXCallbacks: o.JAXCallbacks, Partitions: o.Partitions,
		Targets: slices.DeleteFunc(contract.Targets(), isForeign)})
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
