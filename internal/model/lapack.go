package model

import (
	"bytes"
	"context"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/bridge/lapack"
	"github.com/calliope-mlir/calliope/native"
)

// LAPACK returns the targets of JAX's calls of LAPACK, or nothing if a module, in any form, cannot have such a call. It
// fetches the library if it is missing.
func LAPACK(ctx context.Context, module []byte, o native.EnsureOptions) ([]bridge.ForeignTarget, error) {
	if !callsLAPACK(module) {
		return nil, nil
	}
	return Fetched(ctx, o, lapack.Foreign)
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
