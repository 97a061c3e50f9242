package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// serve is the main function of the worker process. It returns the exit status.
func serve(args []string) int {
	stdout, stderr := &sink{to: os.NewFile(outputFile, "standard output")}, os.NewFile(errorFile, "stderr")
	slog.SetDefault(slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{ReplaceAttr: dropTime})))
	go nameUnfinished(stderr)
	o, err := parseOptions(args)
	same := true
	if err == nil {
		// XLA's parser recurses like MLIR's: all of it needs the large stack.
		err = mlir.OnLargeStack(func() error {
			same, err = work(o, stdout, stderr)
			return err
		})
	}
	if err == nil && stdout.err != nil {
		err = fmt.Errorf("printing: %w", stdout.err)
	}
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "mlir-run: %v\n", err)
		return workerFailed
	case !same:
		return workerDiffers
	}
	return workerDone
}

// dropTime leaves the time out of the log.
func dropTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// nameUnfinished waits until the command or the user ends the process, and names the callbacks that have not returned.
func nameUnfinished(stderr io.Writer) {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM)
	<-ended
	var names []string
	for _, call := range ffi.InFlight() {
		names = append(names, call.Name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		fmt.Fprintf(stderr, "mlir-run: the function of %q has not returned\n", name)
	}
	os.Exit(workerFailed)
}

// sink keeps the first error of writing, so that callers need not check each one.
type sink struct {
	to  io.Writer
	mu  sync.Mutex // for err: callbacks print from several threads
	err error
}

func (s *sink) Write(b []byte) (int, error) {
	n, err := s.to.Write(b)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	return n, err
}

// work runs the module. same is false if the results differ from the expected ones.
func work(o options, stdout, stderr io.Writer) (same bool, err error) {
	m, err := readModule(o, os.Stdin, stderr)
	if err != nil {
		return false, err
	}
	defer m.close()
	if o, err = o.forModule(m); err != nil {
		return false, err
	}
	if err := m.refine(o); err != nil {
		return false, err
	}
	inputs, err := m.inputs(o)
	if err != nil {
		return false, err
	}
	expected, err := m.expected(o)
	if err != nil {
		return false, err
	}
	if err := o.checkOutputs(); err != nil {
		return false, err
	}
	if o.stats {
		defer func() { showStats(stdout, callbacks.Stats()) }()
	}
	var judge checks
	outputs, err := m.execute(o, inputs, &judge, stdout, stderr)
	if err != nil {
		return false, fmt.Errorf("%s: %w", m.name, err)
	}
	if o.out != "" {
		if err := npz.WriteFile(o.out, named(outputs)); err != nil {
			return false, fmt.Errorf("--out %s: %w", o.out, err)
		}
	}
	same = true
	if o.check {
		if same, err = judge.report(stdout); err != nil {
			return false, fmt.Errorf("%s: %w", m.name, err)
		}
	}
	if o.expect != "" {
		return report(stdout, o, outputs, expected) && same, nil
	}
	if o.out == "" && !o.check {
		for i, v := range outputs {
			fmt.Fprintf(stdout, "out%d %s\n", i, show(v))
		}
	}
	return same, nil
}

func named(outputs []tensor.View) []npz.Named {
	var list []npz.Named
	for i, v := range outputs {
		list = append(list, npz.Named{Name: fmt.Sprint("out", i), View: v})
	}
	return list
}

// lapack returns what serves the module's calls of LAPACK.
func (m *module) lapack(progress io.Writer) ([]callbacks.ForeignTarget, error) {
	foreign, err := load.LAPACK(context.Background(), m.file.Data, native.EnsureOptions{Progress: progress})
	for _, t := range foreign {
		m.handlers = append(m.handlers, t.Target)
	}
	return foreign, err
}

// openEngine returns what runs the module, and what closes that.
func (m *module) openEngine(o options, progress io.Writer) (engine.Engine, func() error, error) {
	if o.alone() {
		_, err := m.lapack(progress)
		return jit.Engine(), func() error { return nil }, err
	}
	client, err := m.openClient(o, progress)
	if err != nil {
		return nil, nil, err
	}
	return client.Engine(), client.Close, nil
}

// openClient returns a client that can run the module.
func (m *module) openClient(o options, progress io.Writer) (*bridge.Client, error) {
	foreign, err := m.lapack(progress)
	if err != nil {
		return nil, err
	}
	plugin, err := bridge.Open(bridge.OpenOptions{Targets: targets, Foreign: foreign})
	if err != nil {
		return nil, err
	}
	var cache *bridge.Cache
	if o.cache != "" {
		if cache, err = bridge.OpenCache(o.cache, bridge.CacheOptions{}); err != nil {
			return nil, err
		}
	}
	return plugin.NewClient(bridge.ClientOptions{Devices: o.numDevices(), Cache: cache})
}

// execute compiles and runs the module. inputs and outputs hold the arrays of the first
// replica, then of the second, and so on. Those of a partitioned module are global.
func (m *module) execute(
	o options, inputs []tensor.View, judge *checks, stdout, stderr io.Writer,
) (outputs []tensor.View, err error) {
	observers, err := observe(o, stderr)
	if err != nil {
		return nil, err
	}
	defer func() { err = observers.finish(err) }()
	runner, closeRunner, err := m.openEngine(o, stderr)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeRunner()) }()
	standIns, err := newStandIns(m, o, observers, judge, stdout)
	if err != nil {
		return nil, err
	}
	if o.feeds != "" {
		feeds, feedsErr := m.newFeeds(o)
		if feedsErr != nil {
			return nil, feedsErr
		}
		defer feeds.close()
		if err := feeds.bind(m, observers.callbackOptions()); err != nil {
			return nil, err
		}
		defer func() {
			if err == nil {
				err = feeds.write(o.feeds)
			}
		}()
	}
	var profiles []jit.Profile
	report := func(p jit.Profile) { profiles = append(profiles, p) }
	executable, err := m.compile(runner, o, standIns, report, stderr)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, executable.Close()) }()
	if o.stats {
		defer showMemory(stdout, load.Undivided(executable))
	}
	if outputs, err = executable.Call(context.Background(), inputs...); err == nil {
		err = executable.Barrier(context.Background(), "end of the run")
	}
	for _, p := range profiles {
		showProfile(stdout, p)
		observers.add(p)
	}
	return outputs, err
}

// alone reports whether the module runs without a plugin.
func (o options) alone() bool { return o.jit || !native.PJRTPlugin.Available() }
