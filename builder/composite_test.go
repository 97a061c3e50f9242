package builder_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// TestComposite builds a composite with attributes of every kind. Its results come from its
// decomposition.
func TestComposite(t *testing.T) {
	b := newBuilder(t)
	g := b.FuncWith("gelu.impl", builder.Signature{Params: []builder.Param{{Shape: f32(4)}}, Private: true})
	g.Return(builder.Tanh(g.Param(0)), builder.Full(g, s32(), 3))
	f := b.Func("main", f32(4))
	results := builder.Composite("nn.gelu", map[string]any{
		"approximate": true, "name": "tanh", "n": 3, "big": int64(4), "scale": 0.5,
		"list": []any{1, "a"}, "inner": map[string]any{"x": false},
	}, g, f.Param(0))
	if len(results) != 2 || !results[1].Shape().Equal(s32()) {
		t.Fatalf("results are %v", results)
	}
	f.Return(results...)
	got := mlirtest.Find(finish(t, b), "stablehlo.composite")[0].String()
	want := `%0:2 = stablehlo.composite "nn.gelu" %arg0 {composite_attributes = {approximate = true, big = 4 : i64, inner = {x = false}, ` +
		`list = [1, "a"], n = 3 : i64, name = "tanh", scale = 5.000000e-01 : f64}, decomposition = @gelu.impl} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>)`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("composite (-want +got):\n%s", diff)
	}
}

func TestCompositeMistakes(t *testing.T) {
	type call = func(f, g *builder.Func) []value
	for want, build := range map[string]call{
		`the decomposition: argument 0 of "g" is f32[4]: it must be f32[2]`: func(f, g *builder.Func) []value {
			return builder.Composite("a.b", nil, g, f.Param(0))
		},
		`the decomposition: the function "g" takes 1 arguments, and the call has 2`: func(f, g *builder.Func) []value {
			return builder.Composite("a.b", nil, g, f.Param(1), f.Param(1))
		},
		`the value of attributes.x is a chan int: use numbers, strings, bools, and structs, maps and slices of them`: func(f, g *builder.Func) []value {
			return builder.Composite("a.b", map[string]any{"x": make(chan int)}, g, f.Param(1))
		},
		`the value of attributes is neither a struct nor a map`: func(f, g *builder.Func) []value {
			return builder.Composite("a.b", 3, g, f.Param(1))
		},
		`the decomposition "g" has ordered callbacks`: func(f, g *builder.Func) []value {
			return builder.Composite("a.b", nil, g, f.Param(1))
		},
	} {
		b := newBuilder(t)
		g := b.Func("g", f32(2))
		if strings.Contains(want, "callbacks") {
			builder.Tap(g.Param(0), builder.Callback{Name: "t"})
		}
		g.Return(g.Param(0))
		f := b.Func("main", f32(4), f32(2))
		if results := build(f, g); len(results) != 1 {
			t.Errorf("%s: %d results", want, len(results))
		}
		check.Error(t, b.Err(), want)
	}
}
