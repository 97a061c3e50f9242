package model

import (
	"bytes"
	"context"

	"github.com/calliope-mlir/calliope/bridge/lapack"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// LAPACK returns the targets of JAX's calls of LAPACK, or nothing if a module, in any form, cannot have such a call. It
// fetches the library if it is missing.
func LAPACK(ctx context.Context, module []byte, o native.EnsureOptions) ([]callbacks.ForeignTarget, error) {
	if !callsLAPACK(module) {
		return nil, nil
	}
	return Fetched(ctx, o, lapack.Foreign)
}

// LAPACKOf is LAPACK for a module that MLIR has read.
func LAPACKOf(ctx context.Context, m *mlir.Module, o native.EnsureOptions) ([]callbacks.ForeignTarget, error) {
	for op := range m.Operation().Index().Named("stablehlo.custom_call") {
		if call, _ := stablehlo.AsCustomCall(op); contract.IsLAPACKTarget(call.Target) {
			return Fetched(ctx, o, lapack.Foreign)
		}
	}
	return nil, nil
}

// callsLAPACK reports whether a program has the name of a target. All encodings have the names of targets as they are,
// so this finds those of modules that only XLA reads, too.
func callsLAPACK(program []byte) bool {
	if !bytes.Contains(program, []byte("lapack_")) {
		return false
	}
	for _, target := range lapack.Targets() {
		if bytes.Contains(program, []byte(target)) {
			return true
		}
	}
	return false
}
