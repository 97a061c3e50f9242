package preflight_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/bridge/preflight"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestJAX checks the calls of modules that JAX lowered.
func TestJAX(t *testing.T) {
	registered(t)
	check.NoError(t, callbacks.RegisterTap(callbacks.Default, "jax.ints",
		func(context.Context, tensor.Array[int32]) error { return nil }, callbacks.Options{}))
	t.Cleanup(func() { _ = callbacks.Default.Unregister("jax.ints") })
	const folder = "../testdata/jax"
	stored := func(name string) string { return string(check.Must(os.ReadFile(filepath.Join(folder, name+".mlir")))) }
	with := func(attributes string) string {
		return called(contract.TargetJAX, attributes, "%a", "tensor<4xf32>", "tensor<4xf32>")
	}
	type problem struct {
		Kind              preflight.Kind
		Callback, Nearest string
		Text              string // that the error contains
	}
	check.NoError(t, callbacks.Default.Register("jax.async", func(*callbacks.Frame) error { return nil },
		callbacks.Options{Dispatch: callbacks.Async}))
	t.Cleanup(func() { _ = callbacks.Default.Unregister("jax.async") })
	any1, any2, any3 := []string{"any"}, []string{"any", "any"}, []string{"any", "any", "any"}
	for name, test := range map[string]struct {
		module string
		names  []string
		want   []problem
	}{
		"pure":   {module: stored("pure"), names: any1},
		"tokens": {module: stored("io_ordered"), names: any3},
		"loop":   {module: stored("io_ordered_loop"), names: any1},
		"async":  {module: stored("debug"), names: []string{"jax.async", "any"}},
		"async, waiting": {module: stored("io"), names: []string{"jax.async"},
			want: []problem{{preflight.BadAttributes, "jax.async", "", "which has results that the device waits for"}}},
		"several": {module: stored("debug"), names: any2},
		"too many names": {module: stored("debug"), names: any3, want: []problem{{Kind: preflight.MissingCall,
			Text: `JAXCallbacks[2] is "any", but the module has no call of JAX with the index 2 (it has 0 1)`}}},
		"one too early": {module: stored("pure"), names: []string{"", "any"},
			want: []problem{{Kind: preflight.MissingCallback, Text: "the call has the index 0, which"}}},
		"no names": {module: stored("debug"),
			want: []problem{
				{Kind: preflight.MissingTarget,
					Text: "name the callbacks that serve its calls in CompileOptions.JAXCallbacks of bridge"}, {Kind: preflight.MissingTarget}}},
		"too few names": {module: stored("debug"), names: []string{"any"}, want: []problem{{Kind: preflight.MissingCallback, Text: `the call has the index 1, which CompileOptions.JAXCallbacks does not name (it has 0: "any")`}}},
		"unknown name": {module: stored("pure"), names: []string{"lag"},
			want: []problem{{preflight.MissingCallback, "lag", "log", `callback "lag" is not registered`}}},
		"other types": {module: stored("debug_ordered"), names: []string{"jax.ints", "any"},
			want: []problem{{preflight.WrongSignature, "jax.ints", "",
				`the call has the index 0: callback "jax.ints": the function takes other arguments`}}},
		"other shapes": {module: stored("several"), names: []string{"log"}, want: []problem{{preflight.WrongSignature, "log", "", "is registered with the signature f32[4]->f32[4], but the module calls it with f32[4],s32[]->f32[4],s32[]"}}},
		"asserted shapes": {module: stored("called_export"), names: any3, want: []problem{
			{Kind: preflight.MissingTarget, Text: "stablehlo.Refine evaluates it"}, {Kind: preflight.MissingTarget}}},
		"no index": {module: with("api_version = 4 : i32, backend_config = {}"), names: any3,
			want: []problem{{Kind: preflight.BadAttributes, Text: "has no attribute index"}}},
		"no attributes": {module: with("api_version = 4 : i32"), names: any3,
			want: []problem{{Kind: preflight.BadAttributes, Text: "has no attribute index"}}},
		"signed index": {module: with("api_version = 4 : i32, backend_config = {index = 0 : i64}"), names: any3,
			want: []problem{{Kind: preflight.BadAttributes, Text: "it must be a ui64"}}},
		"another layout": {module: called(contract.TargetJAX, `api_version = 4 : i32, backend_config = {index = 0 : ui64}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<0> : tensor<1xindex>]`, "%m", "tensor<2x3xf32>", "tensor<4xf32>"), names: any3, want: []problem{{Kind: preflight.BadLayout, Text: "the layout [0 1]"}}},
	} {
		t.Run(name, func(t *testing.T) {
			err := preflight.Check(parse(t, test.module), preflight.Options{JAXCallbacks: test.names})
			var got []problem
			if found, ok := errors.AsType[*preflight.Error](err); ok {
				for i, p := range found.Problems {
					text := ""
					if i < len(test.want) {
						text = test.want[i].Text
						check.Error(t, p.Err, text)
					}
					got = append(got, problem{p.Kind, p.Callback, p.Nearest, text})
				}
			}
			check.Diff(t, "problems", test.want, got)
			late := name == "async, waiting" // results are counted when the module runs
			if xla := compile(t, test.module, engine.CompileOptions{JAXCallbacks: test.names}); (xla == nil) !=
				(err == nil) && !late {
				t.Errorf("Check returned %v, but XLA %v", err, xla)
			}
		})
	}
}
