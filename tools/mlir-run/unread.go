package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/lint/quick"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
	"github.com/calliope-mlir/calliope/tensor"
)

// onlyXLAReads reports whether a program that no MLIR library here could read is one that XLA may
// read: bytecode with the dialect of Shardy, which JAX writes, or text that is right for a newer
// Shardy. err is the library's error.
func onlyXLAReads(program []byte, err error) bool {
	if mlir.IsBytecode(program) {
		return slices.Contains(mlir.DialectsOf(program), "sdy")
	}
	return slices.ContainsFunc([]string{"'sdy.", "op result shardings don't match number of values", "expected 'replicated'"},
		func(text string) bool { return strings.Contains(err.Error(), text) })
}

// partitionsOf returns the number of devices that share a module, which its text states.
func partitionsOf(text []byte) int {
	n := 0
	if found := numPartitions.FindSubmatch(text); found != nil {
		n, _ = strconv.Atoi(string(found[1]))
	}
	return max(n, 1)
}

var numPartitions = regexp.MustCompile(`\bmhlo\.num_partitions = (\d+)`)

// isUnread reports whether only XLA reads the module.
func (m *module) isUnread() bool { return m.ir.Module == nil }

// leaveToXLA makes the module one that only XLA reads, because the library refuses it.
func (m *module) leaveToXLA(o options, refused error) error {
	if o.function != "" {
		return fmt.Errorf("%s: only XLA reads it, which runs main: leave --function out: %w", m.name, refused)
	}
	m.ir = &load.Module{Declared: sharding.Module{Replicas: 1, Partitions: 1}}
	switch {
	case m.file.Export.Exported != nil:
		m.ir.Declared.Partitions = max(m.file.Export.Devices, 1)
	case !mlir.IsBytecode(m.file.Data):
		m.ir.Declared.Partitions = partitionsOf(m.file.Data)
	}
	return nil
}

// shapesFromXLA compiles a module that is unread, and sets its parameters and results.
func (m *module) shapesFromXLA(o options, progress io.Writer) (err error) {
	if o.feeds != "" || o.check {
		return errors.New("no MLIR library here can read it, so its calls cannot be replaced: leave out --feeds and --check")
	}
	if err := m.refuseUnreadFeeds(); err != nil {
		return err
	}
	for _, name := range m.unreadCallbacks() { // this compile calls nothing
		if name == "" {
			continue
		}
		if err := callbacks.Default.Register(name, func(*callbacks.Frame) error { return nil },
			callbacks.Options{}); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, callbacks.Default.Unregister(name)) }()
	}
	client, err := m.openClient(o, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	made, err := m.compileUnread(client.Engine(), o, m.unreadCallbacks())
	if err != nil {
		return err
	}
	executable := made.(*bridge.Executable) // as Client.Engine says
	m.ir.Params, m.ir.Results = executable.Inputs(), executable.Outputs()
	m.bindPlatform()
	if o.partitions > 1 {
		params, results := executable.Shardings()
		err = errors.Join(whole(m.ir.Params, params, o), whole(m.ir.Results, results, o))
	}
	return errors.Join(err, executable.Close())
}

// bindPlatform sets the index of the platform, which an export for several platforms takes first.
func (m *module) bindPlatform() {
	if m.file.Export.Exported != nil && len(m.file.Export.Platforms) > 1 &&
		len(m.ir.Params) == len(m.file.Export.Kept)+1 {
		index, _ := m.file.Export.PlatformIndex(load.Platform)
		m.bound = []tensor.View{tensor.Scalar(int32(index))}
	}
}

// refuseUnreadFeeds is refuseFeeds for a module that is unread.
func (m *module) refuseUnreadFeeds() error {
	list, err := quick.Check(m.name, m.file.Data)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", m.name, err)
	}
	for _, f := range list {
		if f.Rule == "outfeed" || f.Rule == "infeed" {
			return fmt.Errorf("%s: it has the operation %s, which would wait forever, because nothing is at its other end", m.name, f.Rule)
		}
	}
	return nil
}

// unreadCallbacks returns a name for each index of a callback of JAX in a module that is unread. In
// bytecode they are not known: then it has more names than a program has callbacks.
func (m *module) unreadCallbacks() (names []string) {
	described, err := bridge.Source(m.file.Data).Describe("", false)
	known := err == nil && described.Calls != nil
	n := 256
	var called []int
	if known {
		n = 0
		called = contract.JAXIndices(described.Calls())
		for _, index := range called {
			n = max(n, min(index, maxJAX)+1)
		}
	}
	for i := range n {
		name := ""
		if !known || slices.Contains(called, i) {
			name = fmt.Sprintf("%s#%d", contract.TargetJAX, i)
		}
		names = append(names, name)
	}
	return names
}

// serveUnread provides stand-ins for the callbacks of JAX in a module that is unread. It returns
// engine.CompileOptions.JAXCallbacks.
func (s *standIns) serveUnread() ([]string, error) {
	o := s.options
	if !o.tap && o.stub == "" && o.replay == "" {
		return nil, nil
	}
	names := s.module.unreadCallbacks()
	for i, name := range names {
		switch {
		case name == "" || s.observers.recorded(name):
			continue
		case s.observers.replaying():
			names[i] = ""
			continue
		}
		err := callbacks.Default.Register(name, func(c *callbacks.Frame) error {
			if o.stub != "" {
				return stub(c)
			}
			s.print(fmt.Sprintf("%s: callback %d of JAX", s.module.name, i), nil, c)
			return repeat(name, c)
		}, s.observers.callbackOptions())
		if err != nil {
			return nil, err
		}
	}
	return names, nil
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
