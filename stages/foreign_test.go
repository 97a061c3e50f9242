package stages_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// everyWay runs a module inline, cut at the named callbacks, on a plugin that cannot call back, and on the interpreter,
// and compares the results, which it returns.
func everyWay(t *testing.T, m *mlir.Module, o stages.Options, names []string, in ...tensor.View) string {
	t.Helper()
	var want string
	for i, w := range []struct {
		device []stages.Device
		force  map[string]stages.Decision
	}{{stages.On(newClient(t).Engine()), nil}, {stages.On(newClient(t).Engine()), cutAll(names...)},
		{stages.On(hidden(t).Engine()), nil},
		{nil, nil}} {
		o := o
		o.Devices, o.Force = w.device, w.force
		e, err := stages.Compile(t.Context(), m, o)
		if err != nil {
			t.Fatalf("way %d: %v", i, err)
		}
		if _, whole := e.(*bridge.Executable); whole != (i == 0) {
			t.Errorf("way %d is a %T", i, e)
		}
		got, err := e.Call(t.Context(), in...)
		if err != nil {
			t.Fatalf("way %d: %v", i, err)
		}
		check.NoError(t, e.Close())
		if i == 0 {
			want = fmt.Sprint(got)
		}
		check.Diff(t, fmt.Sprintf("way %d", i), want, fmt.Sprint(got))
	}
	o.Devices = nil
	if got, ok := savedRun(t, m, o, in...); ok {
		check.Diff(t, "the saved plan", want, got)
	}
	return want
}

// savedRun cuts a module, saves the plan, and runs it after it is loaded. ok is false if the plan cannot be saved
// because it has ids of this process.
func savedRun(t *testing.T, m *mlir.Module, o stages.Options, in ...tensor.View) (results string, ok bool) {
	t.Helper()
	plan, err := stages.Cut(m, o)
	check.NoError(t, err)
	check.Cleanup(t, plan)
	data, err := plan.Serialize()
	if err != nil {
		check.Error(t, err, "is bound by an id, which only this process has")
		return "", false
	}
	loaded, err := stages.Load(m.Context(), data, stages.Options{Devices: o.Devices,
		Compile: engine.CompileOptions{Foreign: o.Compile.Foreign}})
	check.NoError(t, err)
	check.Cleanup(t, loaded)
	e, err := loaded.Compile(t.Context())
	check.NoError(t, err)
	check.Cleanup(t, e)
	got, err := e.Call(t.Context(), in...)
	check.NoError(t, err)
	return fmt.Sprint(got), true
}

func built(t *testing.T, build func(f *builder.Func)) *mlir.Module {
	t.Helper()
	b := builder.New(mlirtest.Context(t), builder.Options{})
	build(b.Func("main", shape))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	return m
}

// TestEncodings cuts callbacks that are written for another host.
func TestEncodings(t *testing.T) {
	plus := func(n float32) callbacks.Func {
		return func(f *callbacks.Frame) error {
			in, _ := tensor.Slice[float32](f.Args[0])
			out, _ := tensor.Slice[float32](f.Results[0])
			for i, v := range in {
				out[i] = v + n
			}
			return nil
		}
	}
	id, err := callbacks.Default.RegisterFunc(plus(1), callbacks.Options{Key: "stages"})
	check.NoError(t, err)
	t.Cleanup(func() { check.NoError(t, callbacks.Default.UnregisterID(id)) })
	for server, n := range map[string]float32{"": 10, "s": 100} {
		opaque := callbacks.OpaqueID{ID: "opaque", Server: server}
		check.NoError(t, callbacks.RegisterOpaque(opaque, plus(n), callbacks.Options{}))
		t.Cleanup(func() { check.NoError(t, callbacks.UnregisterOpaque(opaque)) })
	}
	m := built(t, func(f *builder.Func) {
		like := builder.Like(shape)
		x := builder.Neg(f.Param(0))
		a := builder.RuntimeCall(like,
			x, builder.Callback{ID: id, Host: contract.Host{Encoding: contract.EncodingOperand}})
		b := builder.RuntimeCall(like, builder.Mul(a, float32(2)), builder.Callback{
			Host: contract.Host{Encoding: contract.EncodingWords, Opaque: "opaque"}})
		c := builder.RuntimeCall(like, builder.Mul(b, float32(2)),
			builder.Callback{Host: contract.Host{Encoding: contract.EncodingServer,
				Opaque: "opaque", Server: "s"}})
		d := builder.Passthrough(c, builder.Callback{
			Host: contract.Host{Encoding: contract.EncodingServer, Opaque: "opaque", Server: "none"}})
		f.Return(builder.Passthrough(d, builder.Callback{
			Host: contract.Host{Encoding: contract.EncodingWords, Opaque: "opaque", Server: "s"}}), x)
	})
	names := []string{"id 0", "opaque id 6f7061717565", "opaque id 6f7061717565 of server 73"}
	got := everyWay(t, m, stages.Options{}, names, floats(1, 2, 3, 4))
	check.Diff(t, "results", "[f32[4] [230 226 222 218] f32[4] [-1 -2 -3 -4]]", got)

	unknown := built(t, func(f *builder.Func) {
		f.Return(builder.RuntimeCall(builder.Like(shape), f.Param(0),
			builder.Callback{Host: contract.Host{Encoding: contract.EncodingServer,
				Opaque: "nobody", Server: "s"}}))
	})
	_, err = stages.Compile(t.Context(), unknown, stages.Options{})
	if missing := new(callbacks.UnknownError); !errors.As(err, &missing) {
		t.Errorf("got %v, want an UnknownError", err)
	}
}

// TestForeign cuts calls of a target of another host: with attributes, arrays in another layout, and results in the
// memory of operands, on the thread of the runtime and on others, where a function gets copies.
func TestForeign(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine} {
		t.Run(way.String(), func(t *testing.T) { testForeign(t, way) })
	}
}

func testForeign(t *testing.T, way callbacks.Dispatch) {
	var seen []string
	register(t, "mine", func(f *callbacks.Frame) error {
		seen = append(seen, fmt.Sprint(f.Attributes, f.Args))
		x, _ := tensor.Slice[float32](f.Args[0])
		y, _ := tensor.Slice[float32](f.Results[1])
		for i, v := range x {
			y[i] = 10 * v
		}
		in, _ := tensor.Slice[float32](f.Results[0]) // has the operand's elements
		for i := range in {
			in[i]++
		}
		return nil
	}, callbacks.Options{Dispatch: way})
	register(t, "see", func(f *callbacks.Frame) error { return nil }, callbacks.Options{Dispatch: callbacks.Async})
	m := mlirtest.Parse(t, mlirtest.Context(t),
		`func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %z = stablehlo.add %x, %x : tensor<2x3xf32>
  %y:2 = stablehlo.custom_call @mine(%z) {api_version = 4 : i32, has_side_effect = true,
    backend_config = {b = true, f = 1.5 : f32, g = 2.5 : f64, i = -1 : i8, l = array<i64: 1, 2>, s = "text", d = {u = 7 : ui16}, e = dense<[3, 4]> : tensor<2xi32>},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>],
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]}
    : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  stablehlo.custom_call @seen(%y#0) {api_version = 4 : i32, has_side_effect = true, backend_config = {}} : (tensor<2x3xf32>) -> ()
  return %y#0, %y#1, %z : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}`)
	o := stages.Options{
		Compile: engine.CompileOptions{Foreign: []callbacks.ForeignTarget{{Target: "mine", AnyLayout: true},
			{Target: "seen", Callback: "see"}}}}
	in, err := tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	check.NoError(t, err)
	// The memory of the operand is 2 8 4 10 6 12, column by column.
	check.Diff(t, "results", "[f32[2,3] [3 5 7 9 11 13] f32[2,3] [20 80 40 100 60 120] f32[2,3] [2 4 6 8 10 12]]",
		everyWay(t, m, o, []string{"mine", "see"}, in))
	check.Diff(t, "calls of four ways and of the saved plan", 5, len(seen))
	for _, other := range seen[1:] {
		check.Diff(t, "attributes and operands", seen[0], other)
	}

	refused := func(want string, t1 callbacks.ForeignTarget) {
		t.Helper()
		_, err := stages.Cut(m, stages.Options{Compile: engine.CompileOptions{Foreign: []callbacks.ForeignTarget{t1}}})
		check.Error(t, err, want)
	}
	refused("stablehlo.custom_call at", callbacks.ForeignTarget{Target: "mine"}) // the layout
	refused("it has no factor", callbacks.ForeignTarget{Target: "mine", AnyLayout: true,
		Check: func(callbacks.Attributes) error { return errors.New("it has no factor") }})
	_, err = stages.Compile(t.Context(), m,
		stages.Options{Compile: engine.CompileOptions{Foreign: []callbacks.ForeignTarget{{Target: "mine",
			Callback: "nobody", AnyLayout: true}}}})
	if unknown := new(callbacks.UnknownError); !errors.As(err, &unknown) {
		t.Errorf("got %v, want an UnknownError", err)
	}
}

// TestOtherTargets names what serves calls that no callback serves.
func TestOtherTargets(t *testing.T) {
	without := hidden(t)
	for target, want := range map[string]string{
		"lapack_spotrf_ffi":       "put lapack.Foreign of bridge/lapack into Options.Compile.Foreign",
		"xla_python_cpu_callback": "lower the program again with a newer JAX",
		"unserved":                "name it in Options.Compile.Foreign",
	} {
		for _, devices := range [][]stages.Device{stages.On(without.Engine()), nil} {
			m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = stablehlo.custom_call @`+target+`(%x) {api_version = 4 : i32, backend_config = {}} : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}`)
			_, err := stages.Compile(t.Context(), m, stages.Options{Devices: devices})
			check.Error(t, err, want)
		}
	}
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = stablehlo.custom_call @old(%x) {api_version = 2 : i32, backend_config = "opaque"} : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}`)
	_, err := stages.Compile(t.Context(), m, stages.Options{})
	check.Error(t, err, `"old"`, "rewrite it by passes.ReplaceLegacy")
}
