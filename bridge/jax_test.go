package bridge

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// jaxModule returns a module that JAX lowered: see testdata/jax/generate.py.
func jaxModule(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "jax", name+".mlir"))
	check.NoError(t, err)
	return string(text)
}

// A jaxHost serves the callbacks of a module, and records the calls.
type jaxHost struct {
	names []string
	mu    sync.Mutex
	calls []string
}

// jaxCall describes a call of the callback with an index.
func jaxCall(index, device int, args ...[]float32) string {
	return fmt.Sprintf("%d on device %d: %v", index, device, args)
}

// newJAXHost registers n callbacks, which double their operands.
func newJAXHost(t testing.TB, n int) *jaxHost {
	t.Helper()
	h := &jaxHost{}
	for i := range n {
		name := fmt.Sprintf("%s.%d", strings.ReplaceAll(t.Name(), "/", "."), i)
		check.NoError(t, callbacks.Default.Register(name, func(f *callbacks.Frame) error { return h.call(i, f) },
			callbacks.Options{}))
		t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(name)) })
		h.names = append(h.names, name)
	}
	return h
}

func (h *jaxHost) call(index int, f *callbacks.Frame) error {
	var args [][]float32
	for i, a := range f.Args {
		if a.Shape.DType == tensor.S32 {
			n := check.Must(tensor.Slice[int32](a))
			check.Must(tensor.Slice[int32](f.Results[i]))[0] = 2 * n[0]
			continue
		}
		values := check.Must(tensor.Slice[float32](a))
		args = append(args, slices.Clone(values))
		if i < len(f.Results) {
			copy(check.Must(tensor.Slice[float32](f.Results[i])), twice(values))
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls = append(h.calls, jaxCall(index, f.Device, args...))
	return nil
}

func twice(x []float32) []float32 { return times(2, x) }

func times(k float32, x []float32) (list []float32) {
	for _, v := range x {
		list = append(list, k*v)
	}
	return list
}

func plus(k float32, x []float32) (list []float32) {
	for _, v := range x {
		list = append(list, k+v)
	}
	return list
}

// jaxArrays are the elements of the results, in order.
func jaxArrays(t testing.TB, out []*engine.Array) [][]float32 {
	t.Helper()
	views := make([]tensor.View, len(out))
	for i, b := range out {
		views[i] = check.Must(b.ToHost(t.Context()))
		check.NoError(t, b.Close())
	}
	return jaxElements(views)
}

func jaxElements(out []tensor.View) (list [][]float32) {
	for _, v := range out {
		if v.Shape.DType == tensor.S32 {
			list = append(list, []float32{float32(check.Must(tensor.Slice[int32](v))[0])})
			continue
		}
		list = append(list, check.Must(tensor.Slice[float32](v)))
	}
	return list
}

// TestJAX runs what JAX lowers for each of its callbacks, on one device.
func TestJAX(t *testing.T) { onEngines(t, testJAX) }

func testJAX(t *testing.T, on testEngine) {
	x := []float32{0, 1, 2, 3}
	each := func(index int, list []float32) (calls []string) {
		for _, v := range list {
			calls = append(calls, jaxCall(index, 0, []float32{v}))
		}
		return calls
	}
	for _, test := range []struct {
		module    string
		callbacks int
		further   []tensor.View
		want      [][]float32
		calls     []string
		effects   int
	}{
		{module: "pure", callbacks: 1, want: [][]float32{twice(x)}, calls: []string{jaxCall(0, 0, x)}},
		{module: "several", callbacks: 1, further: []tensor.View{view(t, []int32{5})},
			want: [][]float32{twice(x), {2 * 5}}, calls: []string{jaxCall(0, 0, x)}},
		{module: "vmap_sequential", callbacks: 1, want: [][]float32{twice(x)}, calls: each(0, x)},
		{module: "vmap_broadcast", callbacks: 1, further: []tensor.View{view(t, []float32{7})},
			want: [][]float32{twice(x)}, calls: []string{jaxCall(0, 0, x, []float32{7, 7, 7, 7})}},
		{module: "io", callbacks: 1, want: [][]float32{twice(x)}, calls: []string{jaxCall(0, 0, x)}},
		{module: "io_unused", callbacks: 1, want: [][]float32{plus(1, x)}, calls: []string{jaxCall(0, 0, x)}},
		{module: "io_ordered", callbacks: 3, want: [][]float32{twice(twice(x))},
			calls: []string{jaxCall(0, 0, x), jaxCall(1, 0, x), jaxCall(2, 0, twice(x))}, effects: 1},
		{module: "io_ordered_loop", callbacks: 1, want: [][]float32{times(8, x)},
			calls: []string{jaxCall(0, 0, x), jaxCall(0, 0, twice(x)), jaxCall(0, 0, times(4, x))}, effects: 1},
		{module: "debug", callbacks: 2, want: [][]float32{plus(1, x)},
			calls: []string{jaxCall(0, 0, x), jaxCall(1, 0, x, times(0.5, x))}},
		{module: "debug_ordered", callbacks: 2, want: [][]float32{plus(2, x)},
			calls: []string{jaxCall(0, 0, x), jaxCall(1, 0, plus(1, x))}, effects: 1},
		{module: "two_effects", callbacks: 2, want: [][]float32{twice(x)},
			calls: []string{jaxCall(0, 0, x), jaxCall(1, 0, x)}, effects: 2},
		{module: "debug_in_scan", callbacks: 1, want: [][]float32{{0 + 1 + 2 + 3}, {0, 0, 0 + 1, 0 + 1 + 2}},
			calls: each(0, x[2:])},
	} {
		t.Run(test.module, func(t *testing.T) {
			h := newJAXHost(t, test.callbacks)
			e := on.compileJAX(t, jaxModule(t, test.module), h.names)
			check.Diff(t, "inputs", 1+len(test.further), len(e.Inputs()))
			check.Diff(t, "outputs", len(test.want), len(e.Outputs()))
			if e, ok := e.(*Executable); ok {
				check.Diff(t, "effects", test.effects, len(e.effects))
			}
			inputs := append([]tensor.View{view(t, x, 4)}, test.further...)
			for range 2 {
				h.calls = nil
				out, err := e.Call(t.Context(), inputs...)
				check.NoError(t, err)
				check.Diff(t, "results", test.want, jaxElements(out))
				if test.effects != 1 { // calls without an order
					slices.Sort(h.calls)
					slices.Sort(test.calls)
				}
				check.Diff(t, "calls", test.calls, h.calls)
			}
		})
	}
}

// TestJAXOnDevices runs what JAX lowers for arrays that are divided over four devices.
func TestJAXOnDevices(t *testing.T) {
	c := testClient(t)
	x := []float32{0, 1, 2, 3, 4, 5, 6, 7}
	part := func(d int) []float32 { return x[2*d : 2*d+2] }
	onEach := func(f func(d int) []float32) (list [][]float32) {
		for d := range 4 {
			list = append(list, f(d))
		}
		return list
	}
	var each, ordered []string // each device calls with its part
	for d := range 4 {
		each = append(each, jaxCall(0, d, part(d)))
		ordered = append(ordered, jaxCall(0, d, part(d)), jaxCall(1, d, part(d)), jaxCall(2, d, twice(part(d))))
	}
	for _, test := range []struct {
		module    string
		callbacks int
		want      [][]float32
		only      string // the sharding of a result that is on one device
		device    int
		calls     []string
		gspmd     bool
	}{
		{module: "gspmd_shard_map_pure", gspmd: true, callbacks: 1,
			want: onEach(func(d int) []float32 { return twice(part(d)) }), calls: each},
		{module: "gspmd_shard_map_debug", gspmd: true, callbacks: 1,
			want: onEach(func(d int) []float32 { return plus(1, part(d)) }), calls: each},
		{module: "shard_map_pure", callbacks: 1, want: onEach(func(d int) []float32 { return twice(part(d)) }),
			calls: each},
		{module: "shard_map_debug", callbacks: 1, want: onEach(func(d int) []float32 { return plus(1, part(d)) }),
			calls: each},
		{module: "shard_map_ordered", callbacks: 3, want: onEach(func(d int) []float32 { return times(4, part(d)) }),
			calls: ordered},
		{module: "sharded_pure", callbacks: 1, want: [][]float32{twice(x)}, only: "{maximal device=0}",
			calls: []string{jaxCall(0, 0, x)}},
		{module: "sharded_io", callbacks: 1, want: [][]float32{twice(x)}, only: "{maximal device=0}",
			calls: []string{jaxCall(0, 0, x)}},
		{module: "sharded_io_on_device", callbacks: 1, want: [][]float32{twice(x)}, only: "{maximal device=2}",
			device: 2, calls: []string{jaxCall(0, 2, x)}},
		{module: "sharded_debug", callbacks: 1, want: onEach(func(d int) []float32 { return plus(1, part(d)) }),
			calls: []string{jaxCall(0, 0, x)}},
	} {
		t.Run(test.module, func(t *testing.T) {
			h := newJAXHost(t, test.callbacks)
			e := compile(t, c, jaxModule(t, test.module),
				engine.CompileOptions{Partitions: 4, GSPMD: test.gspmd, JAXCallbacks: h.names})
			in, out := e.Shardings()
			check.Diff(t, "inputs", []string{"{devices=[4]<=[4]}"}, in)
			where := test.only
			if got := out[0]; test.only != "" && got != test.only {
				where = "{replicated}" // which newer plugins make of it
				check.Diff(t, "outputs", where, got)
			}
			var inputs []engine.Input
			for d := range 4 {
				inputs = append(inputs, view(t, part(d), 2))
			}
			for range 2 {
				h.calls = nil
				out, err := e.Run(t.Context(), inputs...)
				check.NoError(t, err)
				got := jaxArrays(t, out)
				switch where {
				case "":
				case "{replicated}":
					check.Diff(t, "results of a device", slices.Repeat([][]float32{got[0]}, 4), got)
					got = got[:1]
				default:
					got = got[test.device : test.device+1]
				}
				check.Diff(t, "results", test.want, got)
				// Those of several devices have no order among each other.
				slices.SortStableFunc(h.calls,
					func(a, b string) int { return strings.Compare(deviceOfCall(a), deviceOfCall(b)) })
				check.Diff(t, "calls", test.calls, h.calls)
			}
		})
	}
}

func deviceOfCall(call string) string { return call[len("0 "):strings.Index(call, ":")] }

// TestJAXOrder holds that the ordered callbacks of a run begin after those of the runs that were
// started before it, also on another device.
func TestJAXOrder(t *testing.T) {
	c := testClient(t)
	var mu sync.Mutex
	var devices []int
	name := register(t, "", func(f *callbacks.Frame) error {
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond) // so that others overtake it, if they can
		mu.Lock()
		defer mu.Unlock()
		devices = append(devices, f.Device)
		return nil
	})
	e := compile(t, c, jaxModule(t, "ordered_large"), engine.CompileOptions{JAXCallbacks: []string{name}})
	var runs []*Run
	var want []int
	for i := range 20 {
		device := i * 7 % 5 % 4 // on the same one twice, and on others
		b, err := c.ArrayFromHost(t.Context(), bigInput(t), device)
		check.NoError(t, err)
		check.Cleanup(t, b)
		r, err := e.Start(t.Context(), b)
		check.NoError(t, err)
		runs, want = append(runs, r), append(want, device)
	}
	for _, r := range runs {
		out, err := r.Wait(t.Context())
		check.NoError(t, err)
		check.NoError(t, out[0].Close())
	}
	check.Diff(t, "devices", want, devices)
}

// TestJAXModules compiles modules at the same time whose callbacks have the same indices.
func TestJAXModules(t *testing.T) {
	c := testClient(t)
	a, b := newJAXHost(t, 1), &jaxHost{}
	name := t.Name() + ".other"
	check.NoError(t,
		callbacks.Default.Register(name, func(f *callbacks.Frame) error { return b.call(0, f) }, callbacks.Options{}))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(name)) })
	b.names = []string{name}
	var wg sync.WaitGroup
	const times = 8
	for _, h := range []*jaxHost{a, b} {
		for range times {
			wg.Go(func() {
				e, err := c.Compile(t.Context(), Source(jaxModule(t, "io")),
					engine.CompileOptions{JAXCallbacks: h.names})
				if err != nil {
					t.Error(err)
					return
				}
				check.Diff(t, "call sites", []CallSite{{
					Name: h.names[0], Form: contract.Call, Signature: "f32[4]->f32[4]", Target: contract.TargetJAX,
					Config: contract.Config{Form: contract.Call, Callback: h.names[0]},
				}}, e.Callbacks())
				out, err := e.Run(t.Context(), view(t, []float32{1, 2, 3, 4}, 4))
				check.Report(t, err)
				jaxArrays(t, out)
				check.NoError(t, e.Close())
			})
		}
	}
	wg.Wait()
	check.Diff(t, "calls", []int{times, times}, []int{len(a.calls), len(b.calls)})
}

// TestJAXSaved binds the callbacks again when a program is loaded, from bytes and from a cache. The
// cache has no names: those of the compile are bound.
func TestJAXSaved(t *testing.T) {
	h := newJAXHost(t, 3)
	cache, err := OpenCache(t.TempDir(), CacheOptions{})
	check.NoError(t, err)
	c, err := testPlugin(t).NewClient(ClientOptions{Cache: cache})
	check.NoError(t, err)
	check.Cleanup(t, c)
	x := []float32{1, 2, 3, 4}
	reversed := slices.Clone(h.names)
	slices.Reverse(reversed)
	first := compile(t, c, jaxModule(t, "io_ordered"), engine.CompileOptions{JAXCallbacks: h.names})
	cached := compile(t, c, jaxModule(t, "io_ordered"), engine.CompileOptions{JAXCallbacks: reversed})
	check.Diff(t, "cached", true, cached.Cached())
	for _, test := range []struct {
		e       *Executable
		indices []int
	}{
		{first, []int{0, 1, 2}},
		{loaded(t, c, serialize(t, first)), []int{0, 1, 2}},
		{cached, []int{2, 1, 0}},
		{loaded(t, c, serialize(t, cached)), []int{2, 1, 0}},
	} {
		h.calls = nil
		out, err := test.e.Run(t.Context(), view(t, x, 4))
		check.NoError(t, err)
		check.Diff(t, "results", [][]float32{times(4, x)}, jaxArrays(t, out))
		check.Diff(t, "calls", []string{jaxCall(test.indices[0], 0, x), jaxCall(test.indices[1], 0, x),
			jaxCall(test.indices[2], 0, twice(x))}, h.calls)
	}
}

// TestJAXAsync serves callbacks without results by functions for which the device does not wait.
func TestJAXAsync(t *testing.T) { onEngines(t, testJAXAsync) }

func testJAXAsync(t *testing.T, on testEngine) {
	x := []float32{1, 2, 3, 4}
	h := &jaxHost{}
	for i := range 2 {
		name := fmt.Sprint("TestJAXAsync.", i)
		check.NoError(t, callbacks.Default.Register(name, func(f *callbacks.Frame) error { return h.call(i, f) },
			callbacks.Options{Dispatch: callbacks.Async}))
		t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(name)) })
		h.names = append(h.names, name)
	}
	for _, module := range []string{"debug_ordered", "debug"} {
		h.calls = nil
		e := on.compileJAX(t, jaxModule(t, module), h.names)
		_, err := e.Call(t.Context(), view(t, x, 4))
		check.NoError(t, err)
		check.NoError(t, callbacks.Barrier(t.Context(), module))
		slices.Sort(h.calls)
		second := jaxCall(1, 0, plus(1, x))
		if module == "debug" {
			second = jaxCall(1, 0, x, times(0.5, x))
		}
		check.Diff(t, "calls", []string{jaxCall(0, 0, x), second}, h.calls)
	}
	e, err := on.with(t, jaxModule(t, "io"), h.names[:1]) // the number of results is known to XLA in the call
	if err == nil {
		_, err = e.Call(t.Context(), view(t, x, 4))
	}
	check.Error(t, err, "TestJAXAsync.0", "is registered with Async", "results")
}

// TestJAXDispatch makes ordered calls in every way of dispatch. The frame of a call of which XLA's
// thread is free has no tokens either.
func TestJAXDispatch(t *testing.T) { onEngines(t, testJAXDispatch) }

func testJAXDispatch(t *testing.T, on testEngine) {
	x := []float32{1, 2, 3, 4}
	for _, way := range ways {
		t.Run(way.String(), func(t *testing.T) {
			h := &jaxHost{}
			for i := range 3 {
				name := fmt.Sprint("TestJAXDispatch.", way, i)
				check.NoError(t, callbacks.Default.Register(name,
					func(f *callbacks.Frame) error { return h.call(i, f) }, callbacks.Options{Dispatch: way}))
				t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(name)) })
				h.names = append(h.names, name)
			}
			e := on.compileJAX(t, jaxModule(t, "io_ordered"), h.names)
			for range 20 {
				h.calls = nil
				out, err := e.Call(t.Context(), view(t, x, 4))
				check.NoError(t, err)
				check.Diff(t, "results", [][]float32{times(4, x)}, jaxElements(out))
				check.Diff(t, "calls", []string{jaxCall(0, 0, x), jaxCall(1, 0, x), jaxCall(2, 0, twice(x))}, h.calls)
			}
		})
	}
}

func TestJAXErrors(t *testing.T) { onEngines(t, testJAXErrors) }

func testJAXErrors(t *testing.T, on testEngine) {
	failure := errors.New("no data today")
	name := register(t, "", func(*callbacks.Frame) error { return failure })
	vector := view(t, []float32{1, 2, 3, 4}, 4)
	for _, module := range []string{"pure", "io", "io_unused", "io_ordered", "io_ordered_loop", "debug",
		"debug_ordered"} {
		called := callIndex.FindAllString(jaxModule(t, module), -1)
		e := on.compileJAX(t, jaxModule(t, module), slices.Repeat([]string{name}, len(called)))
		if _, err := e.Call(t.Context(), vector); !errors.Is(err, failure) {
			t.Errorf("%s: the run's error is %v", module, err)
		}
	}
}

func TestJAXCompileErrors(t *testing.T) {
	c := testClient(t)
	name := register(t, "", func(*callbacks.Frame) error { return nil })
	for _, test := range []struct {
		what  string
		names []string
		want  string
	}{
		{"an index without a name", []string{name, ""}, `custom call target "xla_ffi_python_cpu_callback": the call has the index 1, which CompileOptions.JAXCallbacks does not name (it has 0: "TestJAXCompileErrors")`},
		{"no names", nil, "CompileOptions.JAXCallbacks"},
		{"too many names", []string{name, name, name, "last"}, `bridge: Compile: CompileOptions.JAXCallbacks[3] is "last", but the module has no call of JAX with the index 3 (it has 0 1 2): leave the name out, or move it to the index of its call`},
		{"a name that no callback can have", []string{"a\x00b"}, "JAXCallbacks[0]: "},
	} {
		_, err := c.Compile(t.Context(), Source(jaxModule(t, "io_ordered")),
			engine.CompileOptions{JAXCallbacks: test.names})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want an error with %q", test.what, err, test.want)
		}
	}
	_, err := c.Compile(t.Context(), Source(jaxModule(t, "pure")),
		engine.CompileOptions{JAXCallbacks: []string{"TestJAXCompileErrers"}})
	unknown := check.As[*callbacks.UnknownError](t, err)
	check.Diff(t, "nearest", name, unknown.Nearest)

	attribute := func(text string) error {
		_, err := c.Compile(t.Context(), Source(foreignCall(contract.TargetJAX, typedFFI(text))),
			engine.CompileOptions{JAXCallbacks: []string{name}})
		return err
	}
	check.Error(t, attribute(""), `the attribute "index" is missing`)
	check.Error(t, attribute("index = 0 : i64"), `the attribute "index" must be a uint64, not a int64`)
}

// TestJAXTypes holds that a list whose functions take other arrays than their calls is refused.
func TestJAXTypes(t *testing.T) {
	c := testClient(t)
	register := func(name string, fn callbacks.Func, o callbacks.Options) {
		check.NoError(t, callbacks.Default.Register(name, fn, o))
		t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(name)) })
	}
	scale := func(_ context.Context, x tensor.Array[float32]) (tensor.Array[float32], error) { return x, nil }
	register("types.scale", callbacks.Call(scale), callbacks.Options{})
	register("types.three", callbacks.Call(func(_ context.Context, x [3]float32) ([3]float32, error) { return x, nil }),
		callbacks.Options{})
	register("types.signed", func(*callbacks.Frame) error { return nil },
		callbacks.Options{Signature: "f32[4]->f32[4]"})
	register("types.any", func(*callbacks.Frame) error { return nil }, callbacks.Options{})
	// An io_callback on f32[4] with a result at index 0, and a debug.callback on two arrays at index 1.
	of := func(second string) string {
		return mainFunc("%x: tensor<4xf32>, %i: tensor<2xi32>", "tensor<4xf32>", `
  %r = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {api_version = 4 : i32, has_side_effect = true, backend_config = {index = 0 : ui64}} : (tensor<4xf32>) -> tensor<4xf32>
  stablehlo.custom_call @xla_ffi_python_cpu_callback(`+second+`) {api_version = 4 : i32, has_side_effect = true, backend_config = {index = 1 : ui64}} : (tensor<4xf32>, tensor<2xi32>) -> ()
  return %r : tensor<4xf32>`)
	}
	for _, test := range []struct {
		names []string
		want  []string // in the error; nil is none
	}{
		{[]string{"types.scale", "types.any"}, nil},
		{[]string{"types.signed", "types.any"}, nil},
		{[]string{"types.any", "types.scale"}, []string{`JAXCallbacks[1] is "types.scale", and the call`,
			"f32[4],s32[2]->", `the function takes 1 argument, the module gives 2`}},
		{[]string{"types.any", "types.signed"}, []string{`JAXCallbacks[1] is "types.signed", and the call`,
			"registered with the signature f32[4]->f32[4], but the module calls it with f32[4],s32[2]->"}},
		{[]string{"types.three", "types.any"}, []string{`JAXCallbacks[0] is "types.three", and the call`,
			"f32[4]->f32[4]", "takes 3 arguments, the module gives 1"}},
	} {
		e, err := c.Compile(t.Context(), Source(of("%x, %i")), engine.CompileOptions{JAXCallbacks: test.names})
		if err == nil {
			check.NoError(t, e.Close())
		}
		if test.want == nil {
			check.NoError(t, err)
			continue
		}
		check.Error(t, err, test.want...)
	}
}

// TestJAXAfterFailure holds that a run which waits for the token of a run that fails is not
// executed, that the next one is, and that no token is left.
func TestJAXAfterFailure(t *testing.T) {
	before := buffersAlive()
	c, err := testPlugin(t).NewClient(ClientOptions{Devices: 2})
	check.NoError(t, err)
	started := make(chan struct{})
	calls := 0
	name := register(t, "", func(*callbacks.Frame) error {
		<-started
		if calls++; calls == 1 {
			return errSentinel
		}
		return nil
	})
	e, err := c.Compile(t.Context(), Source(jaxModule(t, "ordered_large")),
		engine.CompileOptions{JAXCallbacks: []string{name}})
	check.NoError(t, err)
	b, err := c.ArrayFromHost(t.Context(), bigInput(t), 0)
	check.NoError(t, err)
	failing, err := e.Start(t.Context(), b)
	check.NoError(t, err)
	waiting, err := e.Start(t.Context(), b)
	check.NoError(t, err)
	close(started)
	if _, err := failing.Wait(t.Context()); !errors.Is(err, errSentinel) {
		t.Errorf("the failing run returned %v", err)
	}
	_, err = waiting.Wait(t.Context())
	check.Diff(t, "cause", errSentinel, check.As[*engine.SequenceError](t, err).Err, cmpopts.EquateErrors())
	check.Diff(t, "calls", 1, calls)
	out, err := e.Run(t.Context(), b)
	check.NoError(t, err)
	check.Diff(t, "calls", 2, calls)
	check.NoError(t, errors.Join(out[0].Close(), b.Close(), e.Close(), c.Close()))
	check.Diff(t, "arrays", before, buffersAlive())
}

// Tokens that are not those of JAX are inputs and outputs: XLA takes an empty array for each.
func TestTokensOfOthers(t *testing.T) {
	const typ, token = "tensor<4xf32>", "!stablehlo.token"
	c := testClient(t)
	x, empty := view(t, []float32{1, 2, 3, 4}, 4), tensor.View{Shape: tensor.ShapeOf(tensor.Pred, 0), Data: []byte{}}
	for _, test := range []struct {
		params, results, body string
		inputs                []engine.Input
		outputs               []string
	}{
		{"%t: " + token + ", %x: " + typ, typ, "return %x : " + typ, []engine.Input{empty, x}, []string{"f32[4]"}},
		{"%x: " + typ + ", %t: " + token, typ + ", " + token, "return %x, %t : " + typ + ", " + token,
			[]engine.Input{x, empty}, []string{"f32[4]", "token[]"}},
		{"%x: " + typ, token + ", " + typ, "%t = stablehlo.create_token : " + token + "\nreturn %t, %x : " + token +
			", " + typ, []engine.Input{x}, []string{"token[]", "f32[4]"}},
	} {
		e := compile(t, c, mainFunc(test.params, test.results, test.body), engine.CompileOptions{})
		check.Diff(t, "inputs", len(test.inputs), len(e.Inputs()))
		out, err := e.Run(t.Context(), test.inputs...)
		check.NoError(t, err)
		var shapes []string
		for _, b := range out {
			shapes = append(shapes, b.Shape().String())
			check.NoError(t, b.Close())
		}
		check.Diff(t, "outputs", test.outputs, shapes)
	}
}
