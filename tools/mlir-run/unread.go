package main

import (
	"errors"
	"io"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
	"github.com/calliope-mlir/calliope/tensor"
)

// onlyXLAReads reports whether a program that no MLIR library here could read is one that
// XLA may read: bytecode with the dialect of Shardy, which JAX writes.
func onlyXLAReads(program []byte) bool {
	return mlir.IsBytecode(program) && slices.Contains(mlir.DialectsOf(program), "sdy")
}

// isUnread reports whether only XLA reads the module.
func (m *module) isUnread() bool { return m.mlir == nil }

// shapesFromXLA compiles a module that is unread, and sets its parameters and results.
func (m *module) shapesFromXLA(o options, progress io.Writer) (err error) {
	if o.tap || o.replay != "" || o.feeds != "" {
		return errors.New("no MLIR library here can read it, so its callbacks cannot be replaced: leave out --tap, --replay and --feeds")
	}
	client, err := m.openClient(o, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	executable, err := m.compileUnread(client, o)
	if err != nil {
		return err
	}
	m.params, m.results = executable.Inputs(), executable.Outputs()
	if o.partitions > 1 {
		err = errors.Join(whole(m.params, executable.InputShardings(), o), whole(m.results, executable.OutputShardings(), o))
	}
	return errors.Join(err, executable.Close())
}

// whole changes the shapes of parts to those of global arrays. Shardy divides arrays evenly.
func whole(parts []tensor.Shape, texts []string, o options) error {
	if len(texts) != len(parts) {
		return errors.New("neither an MLIR library here nor the plugin tells how its arrays are divided over the devices")
	}
	for i, text := range texts {
		s, err := sharding.Parse(text, o.partitions)
		if err != nil {
			return err
		}
		for k, n := range s.Tiles() {
			parts[i].Dims[k] *= n
		}
	}
	return nil
}
