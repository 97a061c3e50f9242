package deviations

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// A child process runs the module whose name is in this environment variable, and prints the results.
const childVariable = "CALLIOPE_TEST_DEVIATION"

// calls counts those of the callbacks "stops" and "watches" in one run.
var calls atomic.Int32

func TestMain(m *testing.M) {
	if err := setUp(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if name := os.Getenv(childVariable); name != "" {
		i := slices.IndexFunc(deviations, func(d deviation) bool { return d.module == name })
		fmt.Println(deviations[i].run(context.Background(), os.Getenv(native.PJRTPlugin.Env()), around{}))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func setUp() error {
	stops := func(f *callbacks.Frame) error {
		if calls.Add(1) == 1 {
			<-f.Context().Done()
		}
		return f.Context().Err()
	}
	for name, f := range map[string]func(*callbacks.Frame) error{
		"clears":  func(f *callbacks.Frame) error { clear(f.Results[0].Data); return nil },
		"copies":  func(f *callbacks.Frame) error { copy(f.Results[0].Data, f.Args[0].Data); return nil },
		"stops":   stops,
		"watches": func(*callbacks.Frame) error { calls.Add(1); return nil },
	} {
		if err := callbacks.Default.Register(name, f, callbacks.Options{}); err != nil {
			return err
		}
	}
	if err := callbacks.Default.Register("stops in time", stops,
		callbacks.Options{Timeout: 100 * time.Millisecond}); err != nil {
		return err
	}
	return native.EnsureAll(context.Background(), native.EnsureOptions{},
		append(native.DefaultParts(), plugins...)...)
}

// run runs the module of a deviation on a plugin, by a way round, and returns the results as text.
func (d *deviation) run(ctx context.Context, plugin string, way around) string {
	results, err := d.results(ctx, plugin, way)
	if _, ok := errors.AsType[*bridge.PluginError](err); ok {
		return refuses
	}
	if _, ok := errors.AsType[*callbacks.TimeoutError](err); ok {
		return timesOut
	}
	if err != nil {
		return err.Error()
	}
	return results
}

// A plainRun is what a plugin makes of a deviation without a way round, and what was logged meanwhile.
type plainRun struct{ result, log string }

type plainKey struct {
	module string
	plugin native.Part
}

var plainRuns = map[plainKey]plainRun{}

// plain runs a deviation without a way round, once for all tests: in a child process, if it or the test ends that.
func (d *deviation) plain(t *testing.T, part native.Part) plainRun {
	t.Helper()
	key := plainKey{d.module, part}
	if r, ok := plainRuns[key]; ok {
		return r
	}
	plugin := check.Must(native.Find(part)).Path
	var r plainRun
	if inChild(d.says[part]) {
		r.result = d.runChild(t, plugin)
	} else {
		r.log = logged(func() { r.result = d.run(t.Context(), plugin, around{}) })
	}
	plainRuns[key] = r
	return r
}

// parse returns the module of a deviation, or that of a way round, which the caller must close with its context.
func (d *deviation) parse(way around) (*mlir.Module, error) {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return nil, err
	}
	name := d.module
	if way.module != "" {
		name = way.module
	}
	source, err := os.ReadFile(file(name))
	if err != nil {
		return nil, err
	}
	return library.NewContext(mlir.ContextOptions{}).Parse(name, source)
}

func file(module string) string { return filepath.Join("testdata", module+".mlir") }

func (d *deviation) results(ctx context.Context, plugin string, way around) (text string, err error) {
	p, err := bridge.Open(bridge.OpenOptions{Path: plugin})
	if err != nil {
		return "", err
	}
	client, err := p.NewClient(bridge.ClientOptions{Devices: max(1, d.partitions, d.replicas)})
	if err != nil {
		return "", err
	}
	defer client.Close()
	options := way.options
	if way.advice == "" {
		options = d.options
	}
	options.Partitions, options.Replicas = d.partitions, d.replicas
	var program engine.Program
	if d.raw && way.module == "" {
		source, err := os.ReadFile(file(d.module))
		if err != nil {
			return "", err
		}
		program = bridge.Source(source)
	} else {
		m, err := d.parse(way)
		if err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, m.Close(), m.Context().Close()) }()
		program = stablehlo.Unprepared(m)
		if way.prepare {
			program = passes.Program(m, passes.PrepareOptions{})
		}
	}
	e, err := client.Compile(ctx, program, options)
	if err != nil {
		return "", err
	}
	defer e.Close()
	calls.Store(0)
	results, err := d.call(ctx, client, e)
	if err != nil {
		return "", err
	}
	if text = texts(results); d.counted {
		text += fmt.Sprintf(", %d calls", calls.Load())
	}
	return text, nil
}

// call runs a module on the inputs, and returns the results of the first device.
func (d *deviation) call(ctx context.Context, client *bridge.Client, e *bridge.Executable) ([]tensor.View, error) {
	var inputs []engine.Input
	for device := range max(1, d.partitions, d.replicas) {
		for _, v := range d.inputs {
			b, err := client.ArrayFromHost(ctx, v, device)
			if err != nil {
				return nil, err
			}
			if d.donated {
				inputs = append(inputs, engine.Donate(b))
				continue
			}
			defer b.Close()
			inputs = append(inputs, b)
		}
	}
	outputs, err := e.Run(ctx, inputs...)
	if err != nil {
		return nil, err
	}
	var results []tensor.View
	for i, b := range outputs {
		defer b.Close()
		if i == len(outputs)/max(1, d.partitions, d.replicas) {
			break
		}
		v, err := b.ToHost(ctx)
		if err != nil {
			return nil, err
		}
		results = append(results, v)
	}
	return results, nil
}

// runChild is run without a way round, in a child process.
func (d *deviation) runChild(t *testing.T, plugin string) string {
	t.Helper()
	endless, limit := slices.Contains(slices.Collect(maps.Values(d.says)), neverEnds), time.Minute
	if endless {
		limit = 8 * time.Second // which is not an hour, but all others take less
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+d.module, native.PJRTPlugin.Env()+"="+plugin,
		"XLA_FLAGS="+d.flags)
	out, err := child.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && ctx.Err() == nil && exit.ExitCode() != 1 {
		return endsProcess
	}
	if endless && ctx.Err() != nil {
		return neverEnds
	}
	check.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// plugins are those that tests run on: with the build tag engines all that can be fetched.
var plugins = []native.Part{native.PJRTPlugin}

// TestDeviations holds that every deviation is still there, and gone with the way round. One that is not there any more
// is to be taken out of the list.
func TestDeviations(t *testing.T) {
	for _, part := range plugins {
		found, err := native.Find(part)
		check.NoError(t, err)
		for _, d := range deviations {
			t.Run(string(part)+"/"+d.module, func(t *testing.T) {
				says, deviates := d.says[part]
				if !deviates {
					says = d.want
				}
				if got := d.plain(t, part).result; !d.rare || got != d.want {
					check.Diff(t, "without the way round", says, got)
				}
				if d.around.none {
					return
				}
				check.Diff(t, "with the way round", d.want, d.run(t.Context(), found.Path, d.around))
				if d.around.prepare && part == native.PJRTPlugin {
					check.Diff(t, "with an exact compile, too", d.want, d.run(t.Context(), found.Path, both))
				}
			})
		}
	}
}

// TestWanted holds what is wanted against the interpreter, where it supports the module.
func TestWanted(t *testing.T) {
	n := 0
	for _, d := range deviations {
		if d.raw { // a module that our programs refuse, or that would end this process
			continue
		}
		m, err := d.parse(around{})
		check.NoError(t, err)
		if stablehlo.CheckEvaluate(m) == nil {
			n++
			results, err := stablehlo.Evaluate(m, d.inputs...)
			check.NoError(t, err)
			check.Diff(t, d.module, d.want, texts(results))
		}
		check.NoError(t, errors.Join(m.Close(), m.Context().Close()))
	}
	if n < 20 {
		t.Errorf("the interpreter ran %d modules only", n)
	}
}

func texts(results []tensor.View) string {
	var list []string
	for _, v := range results {
		list = append(list, v.String())
	}
	return strings.Join(list, ", ")
}
