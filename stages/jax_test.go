package stages_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestJAX cuts what JAX lowers for each of its callbacks. Modules that devices share are not cut.
func TestJAX(t *testing.T) {
	refused := map[string]string{}
	for _, name := range []string{"gspmd_debug", "gspmd_shard_map_debug", "gspmd_shard_map_pure", "shard_map_pure",
		"shard_map_debug", "shard_map_ordered", "sharded_debug", "sharded_debug_partitioned", "sharded_io",
		"sharded_io_on_device", "sharded_pure"} {
		refused[name] = "partition"
	}
	var mu sync.Mutex
	var calls []string
	names := make([]string, 3)
	for i := range names {
		names[i] = fmt.Sprintf("jax.%d", i)
		register(t, names[i], func(f *callbacks.Frame) error {
			mu.Lock()
			defer mu.Unlock()
			calls = append(calls, fmt.Sprint(f.Name, f.Args))
			for k, v := range f.Results {
				fill(v, func(i int) float64 { return 2 * at(f.Args[k], i) })
			}
			return nil
		}, callbacks.Options{})
	}
	files, err := filepath.Glob("../bridge/testdata/jax/*.mlir")
	check.NoError(t, err)
	client, without := newClient(t), hidden(t)
	cut := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		check.NoError(t, err)
		if !strings.Contains(string(text), "python_cpu_callback") {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(file), ".mlir")
		t.Run(name, func(t *testing.T) {
			names := names[:1+
				slices.Max(contract.JAXIndices(check.Must(bridge.Source(text).Describe("", true)).Calls()))]
			m, err := mlirtest.ContextOf(t, mlirtest.LibraryFor(t, text)).Parse(name, text)
			if err == nil {
				check.Cleanup(t, m)
				var plan *stages.Plan
				if plan, err = stages.Cut(m,
					stages.Options{Compile: engine.CompileOptions{JAXCallbacks: names}}); err == nil {
					check.NoError(t, plan.Close())
				}
			}
			if why := refused[name]; why != "" || err != nil {
				check.Error(t, err, why)
				return
			}
			cut++
			var want, wantCalls string
			var in []tensor.View
			for i, o := range []stages.Options{
				{Devices: stages.On(client.Engine())}, {Devices: stages.On(client.Engine()), Force: cutAll(names...)},
				{Devices: stages.On(without.Engine())}, {},
			} {
				o.Compile.JAXCallbacks = names
				e, err := stages.Compile(t.Context(), m, o)
				if err != nil {
					t.Fatalf("way %d: %v", i, err)
				}
				if _, whole := e.(*bridge.Executable); whole != (i == 0) {
					t.Errorf("way %d is a %T", i, e)
				}
				in = counting(e.Inputs())
				for range 2 {
					calls = nil
					got, err := e.Call(t.Context(), in...)
					if err != nil {
						t.Fatalf("way %d: %v", i, err)
					}
					if !strings.Contains(name, "ordered") {
						slices.Sort(calls)
					}
					if want == "" {
						want, wantCalls = fmt.Sprint(got), fmt.Sprint(calls)
					}
					check.Diff(t, fmt.Sprintf("way %d", i), want, fmt.Sprint(got))
					check.Diff(t, fmt.Sprintf("calls of way %d", i), wantCalls, fmt.Sprint(calls))
				}
				check.NoError(t, e.Close())
			}
			places := [][]stages.Device{nil}
			if name == "pure" || name == "several" { // others have tokens, which only the whole module can have inline
				places = append(places, stages.On(client.Engine()))
			}
			for _, devices := range places {
				got, saved := savedRun(t, m, stages.Options{Devices: devices,
					Compile: engine.CompileOptions{JAXCallbacks: names}}, in...)
				check.Diff(t, "saved", true, saved)
				check.Diff(t, "the saved plan", want, got)
			}
		})
	}
	check.Diff(t, "modules that were cut", 13, cut)
}

// counting returns arrays of small numbers.
func counting(shapes []tensor.Shape) (list []tensor.View) {
	for k, s := range shapes {
		v := tensor.View{Shape: s, Data: make([]byte, s.NumBytes())}
		fill(v, func(i int) float64 { return float64((i + k + 1) % 50) })
		list = append(list, v)
	}
	return list
}

// at returns an element as a float.
func at(v tensor.View, i int) float64 {
	if isExact(v.Shape.DType) {
		return float64(integersOf(v)[i])
	}
	return floatsOf(v)[i]
}

// fill sets all elements.
func fill(v tensor.View, f func(i int) float64) {
	for i := range v.Shape.NumElements() {
		if isExact(v.Shape.DType) {
			setInteger(v, i, int64(f(i)))
		} else {
			setFloat(v, i, f(i))
		}
	}
}

// TestJAXErrors has calls that no callback is named for.
func TestJAXErrors(t *testing.T) {
	text, err := os.ReadFile("../bridge/testdata/jax/io_ordered.mlir")
	check.NoError(t, err)
	m := mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.LibraryFor(t, text)), string(text))
	_, err = stages.Cut(m, stages.Options{})
	check.Error(t, err, "name the callbacks that serve these calls in Options.JAXCallbacks")
	_, err = stages.Cut(m, stages.Options{Compile: engine.CompileOptions{JAXCallbacks: []string{"one"}}})
	check.Error(t, err, `which CompileOptions.JAXCallbacks does not name (it has 0: "one")`)
	for _, name := range []string{"first", "second", "third"} {
		register(t, name, double, callbacks.Options{})
	}
	// The first call keeps its token, which orders it against the others.
	_, err = stages.Cut(m, stages.Options{
		Devices: stages.On(newClient(t).Engine()),
		Compile: engine.CompileOptions{JAXCallbacks: []string{"first", "second", "third"}},
		Force:   cutAll("second"),
	})
	check.Error(t, err, "cut at all such callbacks, or at none")
}

// TestJAXInlineInStages cuts at one callback of JAX, and leaves the other one in its stage.
func TestJAXInlineInStages(t *testing.T) {
	text, err := os.ReadFile("../bridge/testdata/jax/debug.mlir")
	check.NoError(t, err)
	m := mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.LibraryFor(t, text)), string(text))
	client := newClient(t)
	var mu sync.Mutex // the two calls are independent, so they may run at the same time
	calls := map[string]int{}
	for _, name := range []string{"one", "two", "three"} {
		register(t, name, func(f *callbacks.Frame) error {
			mu.Lock()
			defer mu.Unlock()
			calls[f.Name]++
			return nil
		}, callbacks.Options{})
	}
	for _, names := range [][]string{{"one", "two"}, {"one", "three"}} { // equal stages with other callbacks
		clear(calls)
		e, err := stages.Compile(t.Context(), m,
			stages.Options{Devices: stages.On(client.Engine()),
				Compile: engine.CompileOptions{JAXCallbacks: names}, Force: cutAll("one")})
		check.NoError(t, err)
		check.Cleanup(t, e)
		_, err = e.Call(t.Context(), floats(1, 2, 3, 4))
		check.NoError(t, err)
		check.Diff(t, "calls", map[string]int{names[0]: 1, names[1]: 1}, calls)
	}
}
