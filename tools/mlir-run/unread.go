package main

import (
	"errors"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// onlyXLAReads reports whether a program that no MLIR library here could read is one that
// XLA may read: bytecode with the dialect of Shardy, which JAX writes.
func onlyXLAReads(program []byte) bool {
	return mlir.IsBytecode(program) && slices.Contains(mlir.DialectsOf(program), "sdy")
}

// isUnread reports whether only XLA reads the module.
func (m *module) isUnread() bool { return m.mlir == nil }

// shapesFromXLA compiles a module that is unread, and sets its parameters and results.
func (m *module) shapesFromXLA(o options) (err error) {
	if o.tap || o.replay != "" || o.feeds != "" {
		return errors.New("no MLIR library here can read it, so its callbacks cannot be replaced: leave out --tap, --replay and --feeds")
	}
	client, err := openClient(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	executable, err := m.compileUnread(client, o)
	if err != nil {
		return err
	}
	m.params, m.results = executable.Inputs(), executable.Outputs()
	return executable.Close()
}
