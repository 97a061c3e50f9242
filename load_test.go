package calliope_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/interpreter"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/nn"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

func export(name string) string {
	return filepath.Join("stablehlo", "jaxexport", "testdata", name+".jaxexport")
}

func load(t *testing.T, path string, o calliope.FuncOptions) *calliope.Function {
	t.Helper()
	f, err := calliope.Load(t.Context(), path, o)
	check.NoError(t, err)
	check.Cleanup(t, f)
	return f
}

type two struct {
	Sum []float32
	Y   float32
}

func TestLoad(t *testing.T) {
	static := load(t, export("static"), calliope.FuncOptions{})
	got, err := calliope.Call[two](t.Context(), static, []float32{0, 0, 0, 0}, float32(2))
	check.NoError(t, err)
	check.Diff(t, "static", two{[]float32{2, 2, 2, 2}, 2}, got)
	list, err := calliope.Call[[]tensor.View](t.Context(), static, struct {
		X []float32
		Y float32
	}{[]float32{0, 0, 0, 0}, 3})
	check.NoError(t, err)
	check.Diff(t, "static as a slice", "[f32[4] [3 3 3 3] f32[] 3]", fmt.Sprint(list))
	pairs, err := calliope.Call[[][2]tensor.View](t.Context(), static, []float32{0, 0, 0, 0}, float32(3))
	check.NoError(t, err)
	check.Diff(t, "static as a slice of pairs", "[[f32[4] [3 3 3 3] f32[] 3]]", fmt.Sprint(pairs))

	unused := load(t, export("unused"), calliope.FuncOptions{})
	sum, err := calliope.Call[[4]float32](t.Context(), unused, []float32{1, 2, 3, 4}, []int8{0, 0, 0},
		[]float32{1, 1, 1, 1})
	check.Error(t, err, "the result[0] is a float32, which cannot hold f32[4]")
	_, err = calliope.Call[struct{ X, Y []float32 }](t.Context(), unused, []float32{1, 2, 3, 4}, []int8{0, 0, 0},
		[]float32{1, 1, 1, 1})
	check.Error(t, err, "the module has 1 results, and a struct { X []float32; Y []float32 } has not as many leaves")
	slice, err := calliope.Call[[]float32](t.Context(), unused, []float32{1, 2, 3, 4}, []int8{0, 0, 0},
		[]float32{1, 1, 1, 1})
	check.NoError(t, err)
	check.Diff(t, "unused", []float32{2, 3, 4, 5}, slice)
	check.Diff(t, "nothing", [4]float32{}, sum)

	platforms := load(t, export("platforms"), calliope.FuncOptions{})
	slice, err = calliope.Call[[]float32](t.Context(), platforms, []float32{1, 2, 3})
	check.NoError(t, err)
	check.Diff(t, "the CPU's branch", []float32{2, 3, 4}, slice)
}

// TestLoadParsesOnce holds that the first compile takes the module that Load has read: what becomes of the bytes does
// not matter to it.
func TestLoadParsesOnce(t *testing.T) {
	data := []byte("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }")
	f := check.Must(calliope.LoadBytes(t.Context(), data, calliope.FuncOptions{}))
	check.Cleanup(t, f)
	clear(data)
	got, err := calliope.Call[[]float32](t.Context(), f, []float32{1, 2})
	check.NoError(t, err)
	check.Diff(t, "result", []float32{1, 2}, got)
}

// TestLoadTrees names the places of arrays that do not fit a file of jax.export.
func TestLoadTrees(t *testing.T) {
	type layer struct{ B, Unused []float32 }
	type layers struct {
		First [][]float32
		Next  layer
	}
	f := load(t, export("trees"), calliope.FuncOptions{})
	w, batch := [][]float32{{1, 0}, {0, 1}}, [][]float32{{1, 2}}
	given := layers{w, layer{[]float32{3, 4}, []float32{0, 0, 0}}}
	got, err := calliope.Call[[][]float32](t.Context(), f, given, batch, float32(2))
	check.NoError(t, err)
	check.Diff(t, "result", [][]float32{{8, 12}}, got)

	given.Next.B = []float32{3}
	_, err = f.Call(t.Context(), given, batch, []float32{2})
	check.Error(t, err, `the arguments do not fit trees.jaxexport:
  0 args[0][0]['w']: takes f32[2,2], given f32[2,2] of argument 0.First
  1 args[0][1]['b']: takes f32[2], given f32[1] of argument 0.Next.B  <- differs
  2 args[1][0]: takes f32[1,2], given f32[1,2] of argument 1
  3 kwargs['scale']: takes f32[], given f32[1] of argument 2  <- differs`)
	_, err = f.Executable(t.Context(), given, batch, tensor.ShapeOf(tensor.F32, -1))
	check.Error(t, err, "argument 2 has the shape f32[?], with an open dimension")
}

// TestLoadOpen compiles a module for each batch size, once for each, also when several goroutines call it.
// TestLoadVJP runs the derivative that a file of jax.export carries.
func TestLoadVJP(t *testing.T) {
	f := load(t, export("vjp"), calliope.FuncOptions{VJP: 1}) // of sin(x)*x
	got, err := calliope.Call[[]float32](t.Context(), f, []float32{0, 1, 2, 3}, []float32{1, 1, 10, 0})
	check.NoError(t, err)
	for i, x := range []float64{0, 1, 2, 3} {
		want := []float64{1, 1, 10, 0}[i] * (math.Cos(x)*x + math.Sin(x))
		if math.Abs(float64(got[i])-want) > 1e-5 {
			t.Errorf("at %v: got %v, want %v", x, got[i], want)
		}
	}
	_, err = calliope.Load(t.Context(), export("vjp"), calliope.FuncOptions{VJP: 2})
	check.Error(t, err, "FuncOptions.VJP is 2, and the highest order in the file is 1: serialize it with vjp_order=2")
	_, err = calliope.Load(t.Context(), export("vjp"), calliope.FuncOptions{VJP: -1})
	check.Error(t, err, "FuncOptions.VJP is -1: give the order of a derivative")
	_, err = calliope.LoadBytes(t.Context(), []byte("func.func @main() { return }"), calliope.FuncOptions{VJP: 1})
	check.Error(t, err, "FuncOptions.VJP is for files of jax.export")
}

// TestLoadEntry runs a function of a module that is not main.
func TestLoadEntry(t *testing.T) {
	text := []byte(`func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
func.func @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
  %m = func.call @main(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %r = stablehlo.add %m, %a : tensor<2xf32>
  return %r : tensor<2xf32>
}`)
	onEngines(t, func(t *testing.T, s *calliope.Session) {
		f, err := calliope.LoadBytes(t.Context(), text, calliope.FuncOptions{Session: s, Entry: "twice"})
		check.NoError(t, err)
		check.Cleanup(t, f)
		got, err := calliope.Call[[]float32](t.Context(), f, []float32{1, 2})
		check.NoError(t, err)
		check.Diff(t, "result", []float32{2, 4}, got[:])
	})
	_, err := calliope.LoadBytes(t.Context(), text, calliope.FuncOptions{Entry: "thrice"})
	check.Error(t, err, "it has no function @thrice, the one to run: choose one with FuncOptions.Entry: @main, @twice")
	_, err = calliope.Call[float32](t.Context(), calliope.FuncWith(twice, calliope.FuncOptions{Entry: "f"}), float32(1))
	check.Error(t, err, "calliope: Func: the options Entry and VJP are for Load")
}

func TestLoadQuantized(t *testing.T) {
	_, err := calliope.LoadBytes(t.Context(), []byte(`func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:0>>) { return }`), calliope.FuncOptions{})
	check.Error(t, err, "parameter 0 of @main is tensor<4x!quant.uniform", "--stablehlo-legalize-quant-to-math")
}

// TestOpenModule saves a Go function with an open batch, and runs it on batches of several sizes.
func TestOpenModule(t *testing.T) {
	type answer[M, I, C any] struct {
		P     M
		Order I
		Class C
	}
	type value = builder.Value
	var rows []int
	seen := map[string]callbacks.Func{"seen": callbacks.Tap(func(_ context.Context, p [][]float32) error {
		rows = append(rows, len(p))
		return nil
	})}
	f := calliope.FuncWith(func(x, kernel, bias value) answer[value, value, value] {
		p := nn.Softmax(builder.Add(builder.Dot(nn.Relu(x), kernel), builder.ExpandDims(bias, 0)), -1)
		builder.Tap(p, builder.Callback{Name: "seen"})
		sure := builder.Select(builder.Gt(p, 0.3), builder.Scalar(x.Func(), float32(1)), float32(0))
		return answer[value, value, value]{builder.Mul(p, sure), builder.ArgSort(p, 1), builder.ArgMax(p, 1)}
	}, calliope.FuncOptions{Callbacks: seen})
	type host = answer[[][]float32, [][]int32, []int32]
	check.Cleanup(t, f)
	open := tensor.ShapeOf(tensor.F32, -1, 2)
	kernel, bias := [][]float32{{1, 0, 0}, {0, 1, 0}}, []float32{0, 0, 1}
	_, err := f.Executable(t.Context(), open, kernel, bias)
	check.Error(t, err, "argument 0 has the shape f32[?,2], with an open dimension: give all of them, or save")
	_, err = f.Module(t.Context(), tensor.ShapeOf(tensor.F32, -1, -2), kernel, bias)
	check.Error(t, err, "argument 0", "-2")
	m, err := f.Module(t.Context(), open, kernel, bias)
	check.NoError(t, err)
	check.Cleanup(t, m.Context())
	artifact := check.Must(stablehlo.PortableArtifact(m, ""))
	batches := [][][]float32{{{1, 2}}, {{1, 2}, {3, 4}, {-1, 0}}}
	results := func(f *calliope.Function) (list []host) {
		for _, x := range batches {
			got, err := calliope.Call[host](t.Context(), f, x, kernel, bias)
			check.NoError(t, err)
			list = append(list, got)
		}
		return list
	}
	want := results(f)
	check.NoError(t, f.Close())
	loaded, err := calliope.LoadBytes(t.Context(), artifact, calliope.FuncOptions{Callbacks: seen})
	check.NoError(t, err)
	check.Cleanup(t, loaded)
	check.Diff(t, "results", want, results(loaded))
	check.Diff(t, "rows of the calls", []int{1, 3, 1, 3}, rows)
}

// TestLoadSharded runs bytecode of JAX with Shardy's dialect.
func TestLoadSharded(t *testing.T) {
	file := filepath.Join("tools", "mlir-run", "testdata", "sharded", "manual_4_sdy.mlirbc")
	f := check.Must(calliope.Load(t.Context(), file, calliope.FuncOptions{}))
	check.Cleanup(t, f)
}

func TestLoadOpen(t *testing.T) {
	f := load(t, export("polymorphic"), calliope.FuncOptions{})
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			batch := i%3 + 1
			x, y, want := make([][]float32, batch), make([][2]float32, batch), make([][]float32, batch)
			for k := range x {
				x[k], y[k], want[k] = []float32{1, 2, 3}, [2]float32{float32(k)}, []float32{6 + float32(k), 6}
			}
			flat := tensor.Array[float32]{Dims: []int{batch, 2}}
			for _, row := range y {
				flat.Data = append(flat.Data, row[:]...)
			}
			got, err := calliope.Call[[][]float32](t.Context(), f, x, flat)
			if err != nil {
				t.Error(err)
				return
			}
			check.Diff(t, "rows", want, got)
		})
	}
	all.Wait()
	a := check.Must(f.Executable(t.Context(), tensor.ShapeOf(tensor.F32, 2, 3), tensor.ShapeOf(tensor.F32, 2, 2)))
	b := check.Must(f.Executable(t.Context(), tensor.ShapeOf(tensor.F32, 2, 3), tensor.ShapeOf(tensor.F32, 2, 2)))
	if a != b {
		t.Error("compiled twice")
	}
	_, err := f.Call(t.Context(), [][]float32{{1, 2, 3}}, []float32{1}, int32(1))
	check.Error(t, err, `the arguments do not fit polymorphic.jaxexport:
  0 args[0]: takes f32[b,n], given f32[1,3]
  1 args[1]: takes f32[b,2], given f32[1]  <- differs
  2: takes nothing, given s32[]  <- differs`)
	_, err = f.Call(t.Context(), [][]float32{{1, 2, 3}}, [][]float32{{1, 2}, {3, 4}})
	check.Error(t, err, "polymorphic.jaxexport: stablehlo: the shapes violate an assertion of the module", "b")
}

const calls = `func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = stablehlo.custom_call @calliope_runtime_call(%x) {
    api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure", callback = "load_double"}
  } : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}`

func double(_ context.Context, x []float32) ([]float32, error) {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = 2 * v
	}
	return y, nil
}

func TestLoadCallbacks(t *testing.T) {
	_, err := calliope.LoadBytes(t.Context(), []byte(calls), calliope.FuncOptions{})
	check.Error(t, err, "calliope: Load: module:", `"load_double"`, "is not registered")
	with := func(name string) calliope.FuncOptions {
		return calliope.FuncOptions{Callbacks: map[string]callbacks.Func{name: callbacks.Call(double)}}
	}
	_, err = calliope.LoadBytes(t.Context(), []byte(calls), with("load_duoble"))
	check.Error(t, err, `"load_duoble"`, "2:")
	f, err := calliope.LoadBytes(t.Context(), []byte(calls), with("load_double"))
	check.NoError(t, err)
	doubled, err := calliope.Call[[]float32](t.Context(), f, []float32{1, 2})
	check.NoError(t, err)
	check.Diff(t, "doubled", []float32{2, 4}, doubled)
	_, err = calliope.LoadBytes(t.Context(), []byte(calls), with("load_double"))
	check.Error(t, err, "Callbacks:", "load_double", "registered")
	check.NoError(t, f.Close())
	_, err = calliope.LoadBytes(t.Context(), []byte(calls), calliope.FuncOptions{})
	check.Error(t, err, "is not registered") // Close has freed the name

	jax := load(t, filepath.Join("tests", "testdata", "modules", "cb_pure.mlir"),
		calliope.FuncOptions{JAXCallbacks: []callbacks.Func{callbacks.Call(double)}})
	y, err := calliope.Call[[]float32](t.Context(), jax, []float32{1, 2, 3, 4})
	check.NoError(t, err)
	check.Diff(t, "JAX's callback", []float32{3, 6, 9, 12}, y)
}

// TestWithoutPlugin runs functions and modules where there is no plugin.
func TestWithoutPlugin(t *testing.T) {
	t.Run("JIT", func(t *testing.T) { withoutPlugin(t, calliope.Options{Engine: jit.Engine()}) })
	t.Run("interpreter", func(t *testing.T) { withoutPlugin(t, calliope.Options{Engine: interpreter.Engine()}) })
}

func withoutPlugin(t *testing.T, o calliope.Options) {
	s := check.Must(calliope.Open(t.Context(), o))
	check.Cleanup(t, s)
	_, err := calliope.LoadBytes(t.Context(), []byte(calls), calliope.FuncOptions{Session: s})
	check.Error(t, err, "calliope: Load: module:", `"load_double"`, "is not registered")
	takes := map[string]callbacks.Func{"load_double": callbacks.Tap(func(context.Context, int32) error { return nil })}
	_, err = calliope.LoadBytes(t.Context(), []byte(calls), calliope.FuncOptions{Session: s, Callbacks: takes})
	check.Error(t, err, "calliope: Load: module:", "argument 0: takes s32[], given f32[2]")
	wrong := calliope.FuncWith(func(x builder.Value) builder.Value {
		calliope.Tap(x, func(context.Context, int32) error { return nil })
		return x
	}, calliope.FuncOptions{Session: s})
	check.Cleanup(t, wrong)
	_, err = wrong.Call(t.Context(), []float32{1, 2})
	check.Error(t, err, "preflight: ", "load_test.go:", "argument 0: takes s32[], given f32[2]")
	double := map[string]callbacks.Func{"load_double": callbacks.Call(double)}
	f, err := calliope.LoadBytes(t.Context(), []byte(calls), calliope.FuncOptions{Session: s, Callbacks: double})
	check.NoError(t, err)
	check.Cleanup(t, f)
	y, err := calliope.Call[[]float32](t.Context(), f, []float32{1, 2})
	check.NoError(t, err)
	check.Diff(t, "a module", []float32{2, 4}, y)

	var seen []float32
	g := calliope.FuncWith(func(x builder.Value) (a, b builder.Value) {
		calliope.Tap(x, func(_ context.Context, v []float32) error { seen = append(seen, v...); return nil })
		return builder.Neg(x), builder.ReduceSum(x)
	}, calliope.FuncOptions{Session: s})
	check.Cleanup(t, g)
	got, err := calliope.Call[two](t.Context(), g, []float32{1, 2})
	check.NoError(t, err)
	check.Diff(t, "a function", two{[]float32{-1, -2}, 3}, got)
	check.Diff(t, "what the tap saw", []float32{1, 2}, seen)
	arrays, err := g.Call(t.Context(), []float32{1, 2})
	check.NoError(t, err)
	check.Diff(t, "a result", tensor.Vector[float32](-1, -2), check.Must(arrays[0].ToHost(t.Context())))
	for _, a := range arrays {
		check.NoError(t, a.Close())
	}
}

func TestSaved(t *testing.T) {
	f := calliope.Func(func(x builder.Value) builder.Value { return builder.Mul(x, x) })
	check.Cleanup(t, f)
	e, err := f.Executable(t.Context(), tensor.ShapeOf(tensor.F32, 2))
	check.NoError(t, err)
	path := filepath.Join(t.TempDir(), "square")
	check.NoError(t, os.WriteFile(path, check.Must(e.Serialize()), 0o644))
	g := load(t, path, calliope.FuncOptions{})
	y, err := calliope.Call[[]float32](t.Context(), g, []float32{3, 4})
	check.NoError(t, err)
	check.Diff(t, "y", []float32{9, 16}, y)
	_, err = calliope.Call[[]float32](t.Context(), g, []float32{3, 4, 5})
	check.Error(t, err, "0: takes f32[2], given f32[3]  <- differs")

	h := calliope.Func(func(x builder.Value) builder.Value {
		calliope.Tap(x, func(context.Context, []float32) error { return nil })
		return x
	})
	check.Cleanup(t, h)
	e, err = h.Executable(t.Context(), tensor.ShapeOf(tensor.F32, 2))
	check.NoError(t, err)
	_, err = e.Serialize()
	if unsavable := new(bridge.UnsavableError); !errors.As(err, &unsavable) {
		t.Errorf("saving closures: %v", err)
	}
	check.Error(t, err, "load_test.go:")
}

// TestLoadManyLeaves holds that an error about many arguments is short, and has those that differ.
func TestLoadManyLeaves(t *testing.T) {
	var params []string
	var args []any
	for i := range 100 {
		params = append(params, fmt.Sprintf("%%p%d: tensor<f32>", i))
		args = append(args, float32(i))
	}
	args[31], args[98] = int32(31), int32(98)
	module := "func.func @main(" + strings.Join(params, ", ") + ") -> tensor<f32> { return %p0 : tensor<f32> }"
	f := check.Must(calliope.LoadBytes(t.Context(), []byte(module), calliope.FuncOptions{}))
	check.Cleanup(t, f)
	_, err := f.Call(t.Context(), args...)
	check.Diff(t, "error", `calliope: the arguments do not fit module:
  31: takes f32[], given s32[]  <- differs
  98: takes f32[], given s32[]  <- differs
  and 98 more, of which 0 differ`, fmt.Sprint(err))
}
