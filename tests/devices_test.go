package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// The tests here run programs on several devices, and compare which of them call Go, with
// which arrays, in which order.

// A deviceCall is a call of Go, as text.
type deviceCall struct {
	Device int
	Args   string
}

// deviceCalls records the calls of its functions.
type deviceCalls struct {
	mu    sync.Mutex
	calls []deviceCall
}

// register registers a function that records its calls, and returns its operands.
func (d *deviceCalls) register(t *testing.T, name string) string {
	t.Helper()
	name = t.Name() + "/" + name
	f := func(call *callbacks.Frame) error {
		d.mu.Lock()
		defer d.mu.Unlock()
		text := ""
		for _, a := range call.Args {
			text += fmt.Sprint(a, ";")
		}
		d.calls = append(d.calls, deviceCall{call.Device, text})
		for i, r := range call.Results {
			copy(r.Data, call.Args[i].Data)
		}
		return nil
	}
	check.NoError(t, callbacks.Default.Register(name, f, callbacks.Options{}))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(name)) })
	return name
}

// take returns the calls so far by device, and forgets them.
func (d *deviceCalls) take() []deviceCall {
	d.mu.Lock()
	defer d.mu.Unlock()
	calls := d.calls
	d.calls = nil
	slices.SortStableFunc(calls, func(a, b deviceCall) int { return a.Device - b.Device })
	return calls
}

// onDevices builds a module for n devices, runs it, and returns what each device returns.
func onDevices(
	t *testing.T, o engine.CompileOptions, build func(b *builder.Builder), inputs ...tensor.View,
) [][]tensor.View {
	t.Helper()
	l := library
	if o.Partitions > 1 {
		l = mlirtest.Jaxlib(t)
	}
	n := max(o.Partitions, o.Replicas)
	b := builder.New(mlirtest.ContextOf(t, l), builder.Options{})
	build(b)
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	return runOnDevices(t, m, n, o, inputs...)
}

func runOnDevices(t *testing.T, m *mlir.Module, n int, o engine.CompileOptions, inputs ...tensor.View) [][]tensor.View {
	t.Helper()
	client := newClient(t, n)
	e, err := client.Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}), o)
	check.NoError(t, err)
	check.Cleanup(t, e)
	var in []engine.Input
	for _, v := range inputs {
		in = append(in, v)
	}
	out, err := e.Run(t.Context(), in...)
	check.NoError(t, err)
	results := make([][]tensor.View, n)
	for _, b := range out {
		v, err := b.ToHost(t.Context())
		check.NoError(t, err)
		results[b.Device()] = append(results[b.Device()], v)
		check.NoError(t, b.Close())
	}
	return results
}

var grid = []builder.Axis{{Name: "x", Size: 2}, {Name: "y", Size: 2}}

// vectorParts are the parts of 1 2 3 4 that four devices in a grid have if the first axis splits it.
var vectorParts = []tensor.View{
	tensor.Vector[float32](1, 2), tensor.Vector[float32](1, 2), tensor.Vector[float32](3, 4),
	tensor.Vector[float32](3, 4),
}

// split is a parameter of which each device of the first row of the grid has the first half.
var split = builder.Param{Shape: tensor.ShapeOf(tensor.F32, 4), Sharding: onX}
var onX = builder.Sharding{Mesh: "grid", Dims: [][]string{{"x"}}}

func TestDevicePolicies(t *testing.T) {
	whole := tensor.ShapeOf(tensor.F32, 4)
	part := builder.Like(tensor.ShapeOf(tensor.F32, 2))
	const first, second, all = "f32[2] [1 2];", "f32[2] [3 4];", "f32[4] [1 2 3 4];"
	each := []deviceCall{{0, first}, {1, first}, {2, second}, {3, second}}
	for _, test := range []struct {
		name  string
		build func(f *builder.Func, x builder.Value, name string) builder.Value
		calls []deviceCall
	}{
		{"each device in Manual", func(f *builder.Func, x builder.Value, name string) builder.Value {
			return builder.Manual("grid", []builder.Sharding{onX}, []builder.Sharding{onX}, x,
				func(x builder.Value) builder.Value {
					return builder.RuntimeCall(part, x, builder.Callback{Name: name})
				})
		}, each},
		{"each device, by name", func(f *builder.Func, x builder.Value, name string) builder.Value {
			return builder.Manual("grid", []builder.Sharding{onX}, []builder.Sharding{onX}, x,
				func(x builder.Value) builder.Value {
					builder.Tap(x, builder.Callback{Name: name, Policy: contract.PerDevice, Effect: "e"})
					return x
				})
		}, each},
		{"once in Manual", func(f *builder.Func, x builder.Value, name string) builder.Value {
			return builder.Manual("grid", []builder.Sharding{onX}, []builder.Sharding{onX}, x,
				func(x builder.Value) builder.Value {
					builder.Tap(x, builder.Callback{Name: name, Policy: contract.Once.On(2), Optional: true})
					return x
				})
		}, []deviceCall{{2, second}}},
		{"once in Manual, passing through", func(f *builder.Func, x builder.Value, name string) builder.Value {
			return builder.Manual("grid", []builder.Sharding{onX}, []builder.Sharding{onX}, x,
				func(x builder.Value) builder.Value {
					return builder.Passthrough(x, builder.Callback{Name: name, Policy: contract.Once})
				})
		}, []deviceCall{{0, first}}},
		{"whole by default", func(f *builder.Func, x builder.Value, name string) builder.Value {
			builder.Tap(x, builder.Callback{Name: name})
			return x
		}, []deviceCall{{0, all}}},
		{"gather", func(f *builder.Func, x builder.Value, name string) builder.Value {
			return builder.RuntimeCall(builder.Like(whole),
				x, builder.Callback{Name: name, Policy: contract.Gather.On(3)})
		}, []deviceCall{{3, all}}},
		{"gather, ordered and passing through", func(f *builder.Func, x builder.Value, name string) builder.Value {
			return builder.Passthrough(x, builder.Callback{Name: name, Policy: contract.Gather, Effect: "e"})
		}, []deviceCall{{0, all}}},
		{"once, outside of Manual", func(f *builder.Func, x builder.Value, name string) builder.Value {
			builder.Tap(x, builder.Callback{Name: name, Policy: contract.Once.On(1), Every: 1})
			return x
		}, []deviceCall{{1, all}}},
		{"in a branch and a loop", func(f *builder.Func, x builder.Value, name string) builder.Value {
			n := builder.ReduceSum(x)
			return builder.If(builder.Gt(n, 5.0), func() builder.Value {
				return builder.Loop(builder.Convert(builder.Div(n, 5.0), tensor.S32), x,
					func(i, x builder.Value) builder.Value {
						return builder.RuntimeCall(builder.Like(whole),
							x, builder.Callback{Name: name, Policy: contract.Gather})
					}, builder.LoopOptions{})
			}, func() builder.Value { return x })
		}, []deviceCall{{0, all}, {0, all}}},
		{"without operands and results", func(f *builder.Func, x builder.Value, name string) builder.Value {
			builder.RuntimeCall(struct{}{}, struct{}{}, builder.Callback{Name: name, In: f})
			return x
		}, []deviceCall{{0, ""}}},
		{"pure calls stay", func(f *builder.Func, x builder.Value, name string) builder.Value {
			return builder.PureCall(builder.Like(whole), x, builder.Callback{Name: name})
		}, nil}, // by each device, on the whole array or its part, as XLA likes
	} {
		t.Run(test.name, func(t *testing.T) {
			var d deviceCalls
			name := d.register(t, "f")
			results := onDevices(t, engine.CompileOptions{Partitions: 4}, func(b *builder.Builder) {
				b.Mesh("grid", grid...)
				f := b.FuncWith("main",
					builder.Signature{Params: []builder.Param{split}, Results: []builder.Result{{Sharding: onX}}})
				f.Return(test.build(f, f.Param(0), name))
			}, vectorParts...)
			calls := d.take()
			if test.calls != nil {
				check.Diff(t, "calls", test.calls, calls)
			}
			for device, r := range results {
				check.Diff(t, fmt.Sprint("result of device ", device), fmt.Sprint(vectorParts[device]),
					fmt.Sprint(r[0]))
			}
		})
	}
}

// Gather returns every element as the function made it: -0, NaN and the numbers of all types.
func TestGatherOfAllTypes(t *testing.T) {
	check.NoRaces(t)
	var d deviceCalls
	name := d.register(t, "f")
	for _, dtype := range []tensor.DType{
		tensor.Pred, tensor.S4, tensor.S8, tensor.S16, tensor.S32, tensor.S64, tensor.U4, tensor.U8, tensor.U16,
		tensor.U32, tensor.U64,
		tensor.F16, tensor.BF16, tensor.F32, tensor.F64, tensor.C64, tensor.C128,
		tensor.F8E5M2, tensor.F8E4M3, tensor.F8E4M3FN, tensor.F8E4M3B11FNUZ, tensor.F8E5M2FNUZ, tensor.F8E4M3FNUZ,
		tensor.F8E3M4,
	} {
		t.Run(dtype.String(), func(t *testing.T) {
			shape := tensor.ShapeOf(dtype, 4, 3)
			v := tensor.View{Shape: shape, Data: make([]byte, shape.NumBytes())}
			for i := range v.Data {
				v.Data[i] = byte(37*i + 11)
				switch dtype {
				case tensor.Pred:
					v.Data[i] = byte(i & 1)
				case tensor.U4:
					v.Data[i] &= 15
				case tensor.S4:
					v.Data[i] = byte(int8(v.Data[i]<<4) >> 4)
				}
			}
			size := dtype.Size()
			if dtype > tensor.U64 && dtype != tensor.F8E8M0FNU { // -0
				copy(v.Data, make([]byte, size))
				v.Data[size-1] = 0x80
			}
			results := onDevices(t, engine.CompileOptions{Partitions: 2}, func(b *builder.Builder) {
				b.Mesh("grid", builder.Axis{Name: "x", Size: 2})
				f := b.FuncWith("main", builder.Signature{Params: []builder.Param{{Shape: shape, Sharding: onX}}})
				f.Return(builder.RuntimeCall(builder.Like(shape),
					f.Param(0), builder.Callback{Name: name, Policy: contract.Gather.On(1)}))
			}, half(v, 0), half(v, 1))
			check.Diff(t, "calls", []deviceCall{{1, fmt.Sprint(v, ";")}}, d.take())
			for _, r := range results {
				if dtype >= tensor.F8E5M2 && dtype <= tensor.F8E8M0FNU {
					// XLA computes with wider types while it collects the operand, which makes
					// every NaN the same one.
					check.Diff(t, "result", fmt.Sprint(v), fmt.Sprint(r[0]))
					continue
				}
				check.Diff(t, "result", v.Data, r[0].Data)
			}
		})
	}
}

// Calls of whole arrays without elements are made: XLA drops what only computes such arrays.
func TestGatherOfEmpty(t *testing.T) {
	check.NoRaces(t)
	empty, whole := tensor.ShapeOf(tensor.F32, 0), tensor.ShapeOf(tensor.F32, 4)
	like := func(shapes ...tensor.Shape) (list []builder.Value) {
		for _, s := range shapes {
			list = append(list, builder.Like(s))
		}
		return list
	}
	for name, results := range map[string][]builder.Value{
		"empty": like(empty), "two empty": like(empty, empty), "none": {}, "one of two empty": like(empty, whole),
		"whole": like(whole),
	} {
		for _, args := range [][]int{{}, {0}, {1}, {0, 1}} {
			t.Run(fmt.Sprint(name, args), func(t *testing.T) {
				var mu sync.Mutex
				calls := 0
				check.NoError(t, callbacks.Default.Register(t.Name(), func(*callbacks.Frame) error {
					mu.Lock()
					defer mu.Unlock()
					calls++
					return nil
				}, callbacks.Options{}))
				defer callbacks.Default.Unregister(t.Name())
				onDevices(t, engine.CompileOptions{Partitions: 2}, func(b *builder.Builder) {
					b.Mesh("grid", builder.Axis{Name: "x", Size: 2})
					f := b.FuncWith("main",
						builder.Signature{Params: []builder.Param{{Shape: empty}, {Shape: whole, Sharding: onX}}})
					in := []builder.Value{}
					for _, i := range args {
						in = append(in, f.Param(i))
					}
					f.Return(builder.RuntimeCall(results,
						in, builder.Callback{Name: t.Name(), In: f, Policy: contract.Gather})...)
				}, tensor.View{Shape: empty}, tensor.Vector[float32](1, 2), tensor.View{Shape: empty},
					tensor.Vector[float32](3, 4))
				check.Diff(t, "calls", 1, calls)
			})
		}
	}
}

// half returns the first or second half of the rows of an array.
func half(v tensor.View, i int) tensor.View {
	dims := slices.Clone(v.Shape.Dims)
	dims[0] /= 2
	return tensor.View{Shape: tensor.ShapeOf(v.Shape.DType, dims...),
		Data: v.Data[i*len(v.Data)/2 : (i+1)*len(v.Data)/2]}
}

// On replicas Once makes one of them call. The others get its results.
func TestOnceOfReplicas(t *testing.T) {
	for _, replicas := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(replicas), func(t *testing.T) {
			var d deviceCalls
			called, passed := d.register(t, "call"), d.register(t, "pass")
			x := tensor.ShapeOf(tensor.F32, 1)
			var inputs []tensor.View
			for i := range replicas {
				inputs = append(inputs, tensor.Vector(float32(i+1)))
			}
			results := onDevices(t, engine.CompileOptions{Replicas: replicas}, func(b *builder.Builder) {
				f := b.Func("main", x)
				y := builder.Passthrough(f.Param(0), builder.Callback{Name: passed, Policy: contract.Once, Effect: "e"})
				f.Return(y, builder.RuntimeCall(builder.Like(x), y, builder.Callback{Name: called, Effect: "e",
					Policy: contract.Once.On(replicas - 1)}))
			}, inputs...)
			check.Diff(t, "calls",
				[]deviceCall{{0, "f32[1] [1];"}, {replicas - 1, fmt.Sprintf("f32[1] [%d];", replicas)}}, d.take())
			for i, r := range results {
				check.Diff(t, "passed", fmt.Sprintf("f32[1] [%d]", i+1), fmt.Sprint(r[0]))
				check.Diff(t, "called", fmt.Sprintf("f32[1] [%d]", replicas), fmt.Sprint(r[1]))
			}
		})
	}
}

// A callback of one device begins when all devices have made the calls of its effect before it,
// and those after it wait for its end, through loops, branches and functions.
func TestOrderOverDevices(t *testing.T) {
	const devices, rounds = 4, 5
	var mu sync.Mutex
	var seen []string
	for _, name := range []string{"each", "one"} {
		f := func(call *callbacks.Frame) error {
			if name == "each" && call.Device > 0 {
				time.Sleep(time.Duration(call.Device) * time.Millisecond) // so that devices are not in step
			}
			if name == "one" {
				time.Sleep(2 * time.Millisecond)
			}
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, fmt.Sprint(name, " ", call.Args[0].At(0)))
			return nil
		}
		check.NoError(t, callbacks.Default.Register(t.Name()+name, f, callbacks.Options{}))
		t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(t.Name()+name)) })
	}
	replicated := builder.Sharding{Mesh: "grid"}
	onDevices(t, engine.CompileOptions{Partitions: devices}, func(b *builder.Builder) {
		b.Mesh("grid", grid...)
		n := tensor.ShapeOf(tensor.S32, 1)
		g := b.Func("step", n)
		x := g.Param(0)
		each := func(effect string, x builder.Value) {
			builder.Manual("grid", nil, nil, x, func(x builder.Value) struct{} {
				builder.Tap(x, builder.Callback{Name: t.Name() + "each", Effect: effect})
				return struct{}{}
			})
		}
		each("e", x)
		builder.Tap(x, builder.Callback{Name: t.Name() + "one", Effect: "e", Policy: contract.Once.On(2)})
		g.Return(builder.Add(x, 1))

		f := b.FuncWith("main", builder.Signature{Params: []builder.Param{{Shape: n, Sharding: replicated}}})
		y := builder.Loop(builder.Scalar[int32](f, rounds), f.Param(0), func(i, x builder.Value) builder.Value {
			return g.Call(g.Call(x)[0])[0]
		}, builder.LoopOptions{})
		even := builder.Eq(builder.Rem(builder.Reshape(y), 2), 0)
		builder.If(even, func() struct{} {
			builder.Tap(y, builder.Callback{Name: t.Name() + "one", Effect: builder.AllEffects})
			return struct{}{}
		}, func() struct{} {
			builder.Tap(y, builder.Callback{Name: t.Name() + "one", Effect: "e", Policy: contract.Once.On(3)})
			return struct{}{}
		})
		each("e", builder.Add(y, 1))
		f.Return(y)
	}, slices.Repeat([]tensor.View{tensor.Vector[int32](0)}, devices)...)
	var want []string
	for i := range 2 * rounds {
		want = append(want, slices.Repeat([]string{fmt.Sprint("each ", i)}, devices)...)
		want = append(want, fmt.Sprint("one ", i))
	}
	want = append(want, fmt.Sprint("one ", 2*rounds))
	want = append(want, slices.Repeat([]string{fmt.Sprint("each ", 2*rounds+1)}, devices)...)
	check.Diff(t, "order", want, seen)
}

// TestManualOfNothing calls without an order in a Manual that takes or returns no elements.
func TestManualOfNothing(t *testing.T) {
	var calls atomic.Int32
	name := t.Name()
	check.NoError(t, callbacks.Default.Register(name, func(*callbacks.Frame) error { calls.Add(1); return nil },
		callbacks.Options{}))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(name)) })
	replicated := builder.Sharding{Mesh: "grid"}
	for _, shape := range []tensor.Shape{tensor.ShapeOf(tensor.S32, 2), tensor.ShapeOf(tensor.S32, 0)} {
		for results := range 2 {
			calls.Store(0)
			view := tensor.View{Shape: shape, Data: make([]byte, shape.NumBytes())}
			onDevices(t, engine.CompileOptions{Partitions: 2}, func(b *builder.Builder) {
				b.Mesh("grid", builder.Axis{Name: "x", Size: 2})
				f := b.FuncWith("main",
					builder.Signature{Params: []builder.Param{{Shape: shape, Sharding: replicated}}})
				builder.Manual("grid", nil, nil, f.Param(0), func(x builder.Value) []builder.Value {
					y := builder.RuntimeCall(builder.Like(shape), builder.Sub(x, x), builder.Callback{Name: name})
					return []builder.Value{y}[:results]
				})
				f.Return(f.Param(0))
			}, view, view)
			check.Diff(t, fmt.Sprint("calls with ", shape, " and ", results, " results"), int32(2), calls.Load())
		}
	}
}

// A device that the program does not run on is an error of the compilation: it would never call.
func TestDeviceOutOfRange(t *testing.T) {
	var d deviceCalls
	name := d.register(t, "f")
	b := builder.New(newContext(t), builder.Options{})
	f := b.Func("main", tensor.ShapeOf(tensor.F32, 1))
	builder.Tap(f.Param(0), builder.Callback{Name: name, Policy: contract.Once.On(2)})
	f.Return()
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	client := newClient(t, 4)
	for _, replicas := range []int{0, 2} {
		_, err = client.Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}),
			engine.CompileOptions{Replicas: replicas})
		check.Error(t, err,
			fmt.Sprintf(`is called by device 2 only (policy "once:2"), and the program runs on %d`, max(1, replicas)))
	}
	e, err := client.Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}),
		engine.CompileOptions{Replicas: 3})
	check.NoError(t, err)
	check.NoError(t, e.Close())
}

// Runs of a module that devices share keep the order of an effect, as those on one device do.
func TestSequenceOfPartitions(t *testing.T) {
	const runs = 6
	var mu sync.Mutex
	var seen []string
	f := func(call *callbacks.Frame) error {
		number := call.Args[0].At(0)
		time.Sleep(time.Duration(runs-int(number.(float32))) * time.Millisecond) // longer in earlier runs
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprintf("%v%v", number, call.Args[0].Shape))
		return nil
	}
	check.NoError(t, callbacks.Default.Register(t.Name(), f, callbacks.Options{}))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(t.Name())) })
	b := builder.New(mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), builder.Options{RuntimeTokens: true})
	b.Mesh("grid", grid...)
	main := b.FuncWith("main",
		builder.Signature{Params: []builder.Param{split}, Results: []builder.Result{{Sharding: onX}}})
	x := main.Param(0)
	builder.Tap(x, builder.Callback{Name: t.Name(), Effect: "e"})
	main.Return(builder.Manual("grid", []builder.Sharding{onX}, []builder.Sharding{onX}, x,
		func(x builder.Value) builder.Value {
			builder.Tap(x, builder.Callback{Name: t.Name(), Effect: "e"})
			return builder.Add(x, x)
		}))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	client := newClient(t, 4)
	e, err := client.Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}),
		engine.CompileOptions{Partitions: 4})
	check.NoError(t, err)
	check.Cleanup(t, e)
	check.Diff(t, "inputs", []tensor.Shape{tensor.ShapeOf(tensor.F32, 2)}, e.Inputs())
	var all []*bridge.Run
	var want []string
	for i := range runs {
		part := tensor.Vector(float32(i), 0)
		run, err := e.Start(t.Context(), part, part, part, part)
		check.NoError(t, err)
		all = append(all, run)
		want = append(want, fmt.Sprintf("%df32[4]", i))
		want = append(want, slices.Repeat([]string{fmt.Sprintf("%df32[2]", i)}, 4)...)
	}
	check.NoError(t, bridge.WaitAll(t.Context(), all...))
	for _, r := range all {
		out, err := r.Wait(t.Context())
		check.NoError(t, err)
		for _, b := range out {
			check.NoError(t, b.Close())
		}
	}
	check.Diff(t, "order", want, seen)
}

// With Gather each device has the whole operands and results: its program collects them.
func TestGatherOnEachDevice(t *testing.T) {
	var d deviceCalls
	name := d.register(t, "f")
	folder := t.TempDir()
	shape := tensor.ShapeOf(tensor.F32, 4)
	onDevices(t, engine.CompileOptions{Partitions: 2, DumpTo: folder,
		Flags: map[string]string{"xla_dump_hlo_as_text": "true"}}, func(b *builder.Builder) {
		b.Mesh("grid", builder.Axis{Name: "x", Size: 2})
		f := b.FuncWith("main",
			builder.Signature{Params: []builder.Param{split}, Results: []builder.Result{{Sharding: onX}}})
		f.Return(
			builder.RuntimeCall(builder.Like(shape), f.Param(0), builder.Callback{Name: name, Policy: contract.Gather}))
	}, vectorParts[0], vectorParts[2])
	files, err := filepath.Glob(filepath.Join(folder, "*after_optimizations.txt"))
	check.NoError(t, err)
	check.Diff(t, "dumped programs", 1, len(files))
	text, err := os.ReadFile(files[0])
	check.NoError(t, err)
	for _, want := range []string{"f32[2]{0} parameter(0)", "f32[4]{0} all-gather(", "u32[4]{0} all-reduce("} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the program lacks %s:\n%s", want, text)
		}
	}
}

// Options.Overlap adds nothing to a module that devices share, where XLA would not compile it.
func TestOverlapOnDevices(t *testing.T) {
	var d deviceCalls
	name := d.register(t, "f")
	whole := builder.Like(tensor.ShapeOf(tensor.F32, 4))
	b := builder.New(mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), builder.Options{Overlap: true})
	b.Mesh("grid", grid...)
	f := b.FuncWith("main",
		builder.Signature{Params: []builder.Param{split}, Results: []builder.Result{{Sharding: onX}}})
	x := f.Param(0)
	two := func(like, x builder.Value) builder.Value {
		call := func() builder.Value { return builder.RuntimeCall(like, x, builder.Callback{Name: name}) }
		return builder.Div(builder.Add(call(), call()), 2.0)
	}
	x = builder.Manual("grid", []builder.Sharding{onX}, []builder.Sharding{onX}, x,
		func(x builder.Value) builder.Value {
			return two(builder.Like(tensor.ShapeOf(tensor.F32, 2)), x)
		})
	x = two(whole, x)
	pure := func() builder.Value { return builder.PureCall(whole, x, builder.Callback{Name: name}) }
	f.Return(builder.Div(builder.Add(pure(), builder.Sin(pure())), 1.0))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	check.Diff(t, "calls were added", false, strings.Contains(m.String(), callop.OverlapCallback))
	runOnDevices(t, m, 4, engine.CompileOptions{Partitions: 4}, vectorParts...)
	check.Diff(t, "calls at least", true, len(d.take()) >= 4*2+2)
}
