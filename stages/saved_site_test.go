package stages_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// loaded saves the plan of a module and loads it, and compares what both compute.
func loaded(t *testing.T, m *mlir.Module, cut, load stages.Options, in ...tensor.View) {
	t.Helper()
	plan, err := stages.Cut(m, cut)
	check.NoError(t, err)
	check.Cleanup(t, plan)
	data, err := plan.Serialize()
	check.NoError(t, err)
	again, err := stages.Load(m.Context(), data, load)
	check.NoError(t, err)
	check.Cleanup(t, again)
	var results []string
	for _, p := range []*stages.Plan{plan, again} {
		e, err := p.Compile(t.Context())
		check.NoError(t, err)
		for range 2 {
			got, err := e.Call(t.Context(), in...)
			check.NoError(t, err)
			results = append(results, fmt.Sprint(got))
		}
		check.NoError(t, e.Close())
	}
	check.Diff(t, "results", []string{results[0], results[0], results[0], results[0]}, results)
}

// TestSavedSites saves plans with calls of JAX, of foreign targets and with runtime tokens.
func TestSavedSites(t *testing.T) {
	for _, name := range []string{"one", "two", "three", "ordered"} {
		register(t, name, func(f *callbacks.Frame) error {
			for k, v := range f.Results {
				fill(v, func(i int) float64 { return 2*at(f.Args[k], i) + float64(len(f.Attributes)) })
			}
			return nil
		}, callbacks.Options{})
	}
	text, err := os.ReadFile("../bridge/testdata/jax/io_ordered.mlir")
	check.NoError(t, err)
	m := mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.LibraryFor(t, text)), string(text))
	loaded(t, m, stages.Options{Compile: engine.CompileOptions{JAXCallbacks: []string{"one", "two", "three"}}},
		stages.Options{}, floats(1, 2, 3, 4))

	loaded(t, ordered(t, "log"), stages.Options{}, stages.Options{}, floats(1, 2, 3, 4))

	foreign := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = stablehlo.custom_call @saved(%x) {api_version = 4 : i32, has_side_effect = true, backend_config = {d = {u = 7 : ui16}, l = array<i64: 1>},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>],
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]}
    : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}`)
	in, err := tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	check.NoError(t, err)
	o := stages.Options{Compile: engine.CompileOptions{Foreign: []callbacks.ForeignTarget{{Target: "saved",
		Callback: "one", AnyLayout: true}}}}
	loaded(t, foreign, o, stages.Options{}, in)

	debug, err := os.ReadFile("../bridge/testdata/jax/debug.mlir")
	check.NoError(t, err)
	m = mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.LibraryFor(t, debug)), string(debug))
	client := newClient(t)
	loaded(t, m, stages.Options{
		Devices: stages.On(client.Engine()),
		Compile: engine.CompileOptions{JAXCallbacks: []string{"one", "two"}}, Force: cutAll("one")},
		stages.Options{Devices: stages.On(client.Engine())}, floats(1, 2, 3, 4))
}
