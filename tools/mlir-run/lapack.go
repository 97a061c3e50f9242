package main

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/bridge/lapack"
	"github.com/calliope-mlir/calliope/native"
)

// serveLAPACK makes the plugin serve JAX's calls of LAPACK, if the module may have one. It
// fetches the library if it is missing, and writes to progress what it fetches.
func (m *module) serveLAPACK(plugin *bridge.Plugin, progress io.Writer) error {
	if !callsLAPACK(m.program) {
		return nil
	}
	err := lapack.Register(plugin)
	if _, missing := errors.AsType[*native.NotFoundError](err); missing {
		if _, err = native.Ensure(context.Background(), native.LAPACK, native.EnsureOptions{Progress: progress}); err != nil {
			return err
		}
		err = lapack.Register(plugin)
	}
	if err != nil {
		return err
	}
	m.handlers = lapack.Targets()
	return nil
}

// callsLAPACK reports whether a program has the name of a target. All encodings have the names of
// targets as they are, so this finds those of modules that only XLA reads, too.
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
