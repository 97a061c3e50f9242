package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/vmap"
)

const added = `({
	^bb0(%p: tensor<f32>, %q: tensor<f32>):
		%a = stablehlo.add %p, %q : tensor<f32>
		stablehlo.return %a : tensor<f32>
	})`

const ofAll = `replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>`

// asynchronous are operations that async_start may have, of %x and %i.
var asynchronous = []struct{ name, operation, result string }{
	{"all_reduce", `"stablehlo.all_reduce"(%x) ` + added + ` {` + ofAll + `} : (tensor<4xf32>)`, "tensor<4xf32>"},
	{"all_gather", `"stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, ` + ofAll + `} : (tensor<4xf32>)`, "tensor<8xf32>"},
	{"all_to_all", `"stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, ` +
		ofAll + `} : (tensor<4xf32>)`, "tensor<4xf32>"},
	{"collective_permute", `"stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}
		: (tensor<4xf32>)`, "tensor<4xf32>"},
	{"collective_broadcast", `"stablehlo.collective_broadcast"(%x) {` + ofAll + `} : (tensor<4xf32>)`, "tensor<4xf32>"},
	{"reduce_scatter", `"stablehlo.reduce_scatter"(%x) ` + added + ` {scatter_dimension = 0 : i64, ` + ofAll + `}
		: (tensor<4xf32>)`, "tensor<2xf32>"},
	{"collective_reduce", `"stablehlo.collective_reduce"(%x) ` + added + ` {` + ofAll + `} : (tensor<4xf32>)`, "tensor<4xf32>"},
	{"slice", `"stablehlo.slice"(%x) {start_indices = array<i64: 1>, limit_indices = array<i64: 3>,
		strides = array<i64: 1>} : (tensor<4xf32>)`, "tensor<2xf32>"},
	{"dynamic_slice", `"stablehlo.dynamic_slice"(%x, %i) {slice_sizes = array<i64: 2>} : (tensor<4xf32>, tensor<i32>)`,
		"tensor<2xf32>"},
	{"dynamic_update_slice", `"stablehlo.dynamic_update_slice"(%x, %x, %i) : (tensor<4xf32>, tensor<4xf32>, tensor<i32>)`,
		"tensor<4xf32>"},
}

// squares returns a module for the sum of the squares of an operation, which is synchronous or not.
func squares(operation, result string, async bool) string {
	call := strings.NewReplacer("%x", "%v", "%i", "%j").Replace("%y = " + operation + " -> " + result)
	if async {
		operands, arguments, types := "%v", "%x: tensor<4xf32>", "tensor<4xf32>"
		if strings.Contains(operation, "%i") {
			operands, arguments, types = "%v, %j", "%x: tensor<4xf32>, %i: tensor<i32>", "tensor<4xf32>, tensor<i32>"
		}
		future := "!stablehlo.future<" + result + ">"
		call = `%f = "stablehlo.async_start"(` + operands + `) ({
		^bb0(` + arguments + `):
			%r = ` + operation + " -> " + result + `
			stablehlo.return %r : ` + result + `
		}) : (` + types + `) -> ` + future + `
		%y = "stablehlo.async_done"(%f) : (` + future + `) -> ` + result
	}
	return `func.func @main(%v: tensor<4xf32>) -> tensor<f32> {
		%j = stablehlo.constant dense<1> : tensor<i32>
		%zero = stablehlo.constant dense<0.0> : tensor<f32>
		` + call + `
		%s = stablehlo.multiply %y, %y : ` + result + `
		%t = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0] : (` + result + `, tensor<f32>) -> tensor<f32>
		return %t : tensor<f32>
	}`
}

// TestAsynchronous holds asynchronous operations, their derivatives and their batches to the synchronous ones, on two
// devices.
func TestAsynchronous(t *testing.T) {
	client := newClient(t, 2)
	of := map[string]func(f mlir.Operation) (mlir.Operation, error){
		"value":      func(f mlir.Operation) (mlir.Operation, error) { return f, nil },
		"derivative": func(f mlir.Operation) (mlir.Operation, error) { return autodiff.Grad(f, autodiff.Options{}) },
		"batch":      func(f mlir.Operation) (mlir.Operation, error) { return vmap.Batch(f, vmap.Options{Size: 2}) },
	}
	compute := func(t *testing.T, text, what string) ([]tensor.View, error) {
		m := mlirtest.Parse(t, mlirtest.Context(t), text)
		f, err := of[what](function(m))
		check.NoError(t, err)
		if what != "value" {
			check.NoError(t, function(m).Erase())
			f.SetAttribute("sym_name", m.Context().StringAttribute("main"))
			f.RemoveAttribute("sym_visibility")
		}
		x := []engine.Input{tensor.Vector[float32](1, 2, 3, 4), tensor.Vector[float32](50, 60, 70, 80)}
		if what == "batch" {
			for i := range x {
				v, _ := tensor.FromSlice([]float32{1, 2, 3, 4, float32(5 + i), 6, 7, 8}, 2, 4)
				x[i] = v
			}
		}
		return results(t, client.Engine(), m, engine.CompileOptions{Replicas: 2}, x...)
	}
	for _, c := range asynchronous {
		for what := range of {
			t.Run(c.name+" "+what, func(t *testing.T) {
				want, err := compute(t, squares(c.operation, c.result, false), what)
				if c.name == "collective_broadcast" {
					const none = "is not supported by XLA:CPU"
					check.Error(t, err, none)
					_, err = compute(t, squares(c.operation, c.result, true), what)
					check.Error(t, err, none)
					return
				}
				check.NoError(t, err)
				got, err := compute(t, squares(c.operation, c.result, true), what)
				check.NoError(t, err)
				check.Diff(t, "asynchronous", want, got)
			})
		}
	}
}

// function returns the function main of a module.
func function(m *mlir.Module) mlir.Operation {
	f, _ := m.SymbolTable().Lookup("main")
	return f
}

// TestCollectiveReduce holds the device and the numbers of a reduction to one device.
func TestCollectiveReduce(t *testing.T) {
	client := newClient(t, 4)
	for _, c := range []struct {
		name, attributes, roots string
		o                       engine.CompileOptions
		want                    []float32 // of each device
	}{
		{"all replicas", `replica_groups = dense<> : tensor<0x0xi64>`, "", engine.CompileOptions{Replicas: 4},
			[]float32{1111, 0, 0, 0}},
		{"groups", `replica_groups = dense<[[3, 0], [1, 2]]> : tensor<2x2xi64>`, "", engine.CompileOptions{Replicas: 4},
			[]float32{0, 110, 0, 1001}},
		{"groups of other sizes", `replica_groups = dense<[[2, 0, 1], [3, -1, -1]]> : tensor<2x3xi64>`, "",
			engine.CompileOptions{Replicas: 4}, []float32{0, 0, 111, 1000}},
		{"another root", `replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, has_dynamic_root`, "2",
			engine.CompileOptions{Replicas: 4}, []float32{0, 0, 1111, 0}},
		{"a channel and all devices", `replica_groups = dense<[[3, 0], [1, 2]]> : tensor<2x2xi64>, use_global_device_ids,
			channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>`, "", engine.CompileOptions{Replicas: 4},
			[]float32{0, 110, 0, 1001}},
		{"a channel and replicas", `replica_groups = dense<[[3, 0], [1, 2]]> : tensor<2x2xi64>,
			channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>`, "", engine.CompileOptions{Replicas: 4},
			[]float32{0, 110, 0, 1001}},
	} {
		t.Run(c.name, func(t *testing.T) {
			operands, types, root := "%x", "tensor<f32>", ""
			if c.roots != "" {
				operands, types, root = "%x, %root", "tensor<f32>, tensor<1xi32>",
					"%root = stablehlo.constant dense<"+c.roots+"> : tensor<1xi32>"
			}
			m := mlirtest.Parse(t, mlirtest.Context(t), fmt.Sprintf(`func.func @main(%%x: tensor<f32>) -> tensor<f32> {
				%s
				%%0 = "stablehlo.collective_reduce"(%s) %s {%s} : (%s) -> tensor<f32>
				return %%0 : tensor<f32>
			}`, root, operands, added, c.attributes, types))
			var x []engine.Input
			for _, v := range []float32{1, 10, 100, 1000} {
				x = append(x, tensor.Scalar(v))
			}
			got, err := results(t, client.Engine(), m, c.o, x...)
			check.NoError(t, err)
			var want []tensor.View
			for _, v := range c.want {
				want = append(want, tensor.Scalar(v))
			}
			check.Diff(t, "results", want, got)
		})
	}
}

// results compiles a module, runs it, and returns the results of all devices.
func results(
	t *testing.T, e engine.Engine, m *mlir.Module, o engine.CompileOptions, in ...engine.Input,
) (list []tensor.View, err error) {
	t.Helper()
	compiled, err := e.Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}), o)
	if err != nil {
		return nil, err
	}
	check.Cleanup(t, compiled)
	out, err := compiled.Run(t.Context(), in...)
	if err != nil {
		return nil, err
	}
	for _, o := range out {
		v, err := o.ToHost(t.Context())
		check.NoError(t, err)
		check.NoError(t, o.Close())
		list = append(list, v)
	}
	return list, nil
}

// TestAsynchronousWithoutPlugin holds what the JIT compiler makes of asynchronous operations of one device, and what it
// says of a future that is used in another way.
func TestAsynchronousWithoutPlugin(t *testing.T) {
	several := []string{"all_gather", "all_to_all", "collective_permute", "reduce_scatter"}
	for _, c := range asynchronous {
		if slices.Contains(several, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			operation := strings.ReplaceAll(c.operation, ofAll, `replica_groups = dense<0> : tensor<1x1xi64>`)
			compute := func(async bool) []tensor.View {
				m := mlirtest.Parse(t, mlirtest.Context(t), squares(operation, c.result, async))
				out, err := results(t, jit.Engine(), m, engine.CompileOptions{}, tensor.Vector[float32](1, 2, 3, 4))
				check.NoError(t, err)
				return out
			}
			check.Diff(t, "asynchronous", compute(false), compute(true))
		})
	}
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
		%f = "stablehlo.async_start"(%x) ({
		^bb0(%a: tensor<4xf32>):
			%s = stablehlo.slice %a [0:4] : (tensor<4xf32>) -> tensor<4xf32>
			stablehlo.return %s : tensor<4xf32>
		}) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
		%z = stablehlo.custom_call @wait(%f) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
		return %z : tensor<4xf32>
	}`)
	_, err := results(t, jit.Engine(), m, engine.CompileOptions{}, tensor.Vector[float32](1, 2, 3, 4))
	check.Error(t, err, `stablehlo.custom_call at test.mlir:7:8: nothing serves the target "wait"`)
	_, err = autodiff.JVP(function(m), autodiff.Options{})
	check.Error(t, err, "stablehlo.async_start at test.mlir:2")
	_, err = vmap.Batch(function(m), vmap.Options{Size: 2})
	check.Error(t, err, "stablehlo.async_start at test.mlir:2")
}
