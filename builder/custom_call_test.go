package builder_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestCustomCall(t *testing.T) {
	type window struct {
		Size    int32  `mlir:"size"`
		Padding string `mlir:"padding"`
	}
	vectors := []tensor.Shape{vector}
	for _, test := range []struct {
		name    string
		options func(b *builder.Builder, ctx *mlir.Context) builder.CustomCallOptions
		want    string // what stands behind the operands
	}{
		{"least", func(*builder.Builder, *mlir.Context) builder.CustomCallOptions {
			return builder.CustomCallOptions{Target: "t"}
		}, "{api_version = 4 : i32} : (tensor<4xf32>, tensor<i32>) -> ()"},
		{"numbers", func(*builder.Builder, *mlir.Context) builder.CustomCallOptions {
			return builder.CustomCallOptions{Target: "t", Results: vectors, Config: map[string]any{
				"a": true, "b": 1, "c": int8(-2), "d": int32(3), "e": uint8(4), "f": ^uint64(0), "g": float32(0.5),
				"h": 0.25,
			}}
		}, "{api_version = 4 : i32, backend_config = {a = true, b = 1 : i64, c = -2 : i8, d = 3 : i32, e = 4 : ui8, f = 18446744073709551615 : ui64, g = 5.000000e-01 : f32, h = 2.500000e-01 : f64}} : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>"},
		{"lists", func(_ *builder.Builder, ctx *mlir.Context) builder.CustomCallOptions {
			return builder.CustomCallOptions{Target: "t", Config: []builder.NamedValue{
				{Name: "ints", Value: []int{1, 2}}, {Name: "bools", Value: []bool{true}},
				{Name: "floats", Value: []float32{1}}, {Name: "bytes", Value: []int8{-1}},
				{Name: "texts", Value: []string{"x", "y"}}, {Name: "pair", Value: [2]any{1, "z"}},
				{Name: "none", Value: []int64{}}, {Name: "unit", Value: ctx.UnitAttribute()},
			}}
		}, `{api_version = 4 : i32, backend_config = {bools = array<i1: true>, bytes = array<i8: -1>, floats = array<f32: 1.000000e+00>, ints = array<i64: 1, 2>, none = array<i64>, pair = [1, "z"], texts = ["x", "y"], unit}} : (tensor<4xf32>, tensor<i32>) -> ()`},
		{"structs", func(*builder.Builder, *mlir.Context) builder.CustomCallOptions {
			return builder.CustomCallOptions{Target: "t", Config: struct{ Window *window }{&window{3, "same"}}}
		}, `{api_version = 4 : i32, backend_config = {Window = {padding = "same", size = 3 : i32}}} : (tensor<4xf32>, tensor<i32>) -> ()`},
		{"old version", func(*builder.Builder, *mlir.Context) builder.CustomCallOptions {
			return builder.CustomCallOptions{Target: "t", APIVersion: 2, Config: "opaque", HasSideEffect: true}
		}, `{api_version = 2 : i32, backend_config = "opaque", has_side_effect = true} : (tensor<4xf32>, tensor<i32>) -> ()`},
		{"no version", func(*builder.Builder, *mlir.Context) builder.CustomCallOptions {
			return builder.CustomCallOptions{Target: "t", APIVersion: builder.Unspecified}
		}, `{api_version = 0 : i32} : (tensor<4xf32>, tensor<i32>) -> ()`},
		{"aliases and layouts", func(*builder.Builder, *mlir.Context) builder.CustomCallOptions {
			return builder.CustomCallOptions{Target: "t", Results: vectors, Aliases: aliasing.List{{OperandIndex: 0}},
				OperandLayouts: [][]int64{{0}, {}}, ResultLayouts: [][]int64{{0}}}
		}, `{api_version = 4 : i32, operand_layouts = [dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>`},
		{"tuple", func(_ *builder.Builder, ctx *mlir.Context) builder.CustomCallOptions {
			v, _ := stablehlo.TensorType(ctx, vector)
			return builder.CustomCallOptions{Target: "t", Types: []mlir.Type{ctx.TupleType(v, v)},
				Aliases: aliasing.List{{OutputTupleIndices: []int64{1}, OperandIndex: 0}}}
		}, `{api_version = 4 : i32, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<i32>) -> tuple<tensor<4xf32>, tensor<4xf32>>`},
		{"called computations", func(b *builder.Builder, _ *mlir.Context) builder.CustomCallOptions {
			g := b.Func("compare", vector)
			g.Return(g.Param(0))
			return builder.CustomCallOptions{Target: "t", CalledComputations: []*builder.Func{g}}
		}, `{api_version = 4 : i32, called_computations = [@compare]} : (tensor<4xf32>, tensor<i32>) -> ()`},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx := mlirtest.Context(t)
			b := builder.New(ctx, builder.Options{})
			f := b.Func("main", vector, tensor.ShapeOf(tensor.S32))
			builder.CustomCall(test.options(b, ctx), f.Param(0), f.Param(1))
			f.Return()
			_, got, _ := strings.Cut(mlirtest.Find(finish(t, b), "stablehlo.custom_call")[0].String(),
				"@t(%arg0, %arg1) ")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("call (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCustomCallMistakes(t *testing.T) {
	self := map[string]any{}
	self["self"] = self
	options := func(config any) builder.CustomCallOptions {
		return builder.CustomCallOptions{Target: "t", Config: config}
	}
	other := newBuilder(t)
	foreign := other.Func("foreign")
	for _, test := range []struct {
		name    string
		options builder.CustomCallOptions
		want    string
	}{
		{"no target", builder.CustomCallOptions{}, "the name of the target is missing"},
		{"version", builder.CustomCallOptions{Target: "t", APIVersion: 5}, "there is no API version 5"},
		{"string in version 4", options("x"), "with API version 4 the backend config must be a dictionary"},
		{"dictionary in version 2", builder.CustomCallOptions{Target: "t", APIVersion: 2, Config: map[string]any{}},
			"with API version 2 the backend config must be a string"},
		{"function in the config", options(map[string]any{"f": func() {}}), "the config.f is a func()"},
		{"nil in the config", options(map[string]any{"f": []any{nil}}), "the config.f[0] is nil"},
		{"nil pointer", options((*struct{})(nil)), "the config is a nil *struct"},
		{"keys", options(map[int]any{1: 2}), "the config is a map[int]interface {}: its keys must be strings"},
		{"private field", options(struct{ x int }{1}), "the field x of struct"},
		{"name twice", options([]builder.NamedValue{{Name: "a", Value: 1}, {Name: "a", Value: 1}}),
			`the name "a" is empty or occurs twice`},
		{"unsigned numbers", options(map[string]any{"u": []uint64{1}}),
			"a handler cannot receive an array of unsigned numbers"},
		{"in itself", options(self), "is nested more than 100 deep"},
		{"zero attribute", options(map[string]any{"a": mlir.Attribute{}}), "the config.a is the zero Attribute"},
		{"results twice", builder.CustomCallOptions{Target: "t", Results: []tensor.Shape{vector},
			Types: make([]mlir.Type, 1)}, "use one of them"},
		{"zero type", builder.CustomCallOptions{Target: "t", Types: make([]mlir.Type, 1)}, "the zero Type"},
		{"no element type", builder.CustomCallOptions{Target: "t", Results: make([]tensor.Shape, 1)},
			"result 0: stablehlo: invalid is not an element type"},
		{"another module's function", builder.CustomCallOptions{Target: "t",
			CalledComputations: []*builder.Func{foreign}}, "called computation 0 is not a function of this module"},
		{"nil function", builder.CustomCallOptions{Target: "t", CalledComputations: []*builder.Func{nil}},
			"called computation 0"},
		{"one layout", builder.CustomCallOptions{Target: "t", OperandLayouts: [][]int64{{0}}},
			"must be given together"},
		{"too many layouts", builder.CustomCallOptions{Target: "t", OperandLayouts: [][]int64{{0}, {0}},
			ResultLayouts: [][]int64{}}, "operand_layouts has 2 entries, but needs 1"},
		{"alias without result", builder.CustomCallOptions{Target: "t", Aliases: aliasing.List{{}}},
			"the call has no results"},
		{"alias of another operand", builder.CustomCallOptions{Target: "t", Results: []tensor.Shape{vector},
			Aliases: aliasing.List{{OperandIndex: 3}}}, "there is no operand 3"},
		{"alias of another type", builder.CustomCallOptions{Target: "t", Results: []tensor.Shape{tensor.ShapeOf(
			tensor.F32)}, Aliases: aliasing.List{{}}}, "values that share memory must have the same type"},
		{"alias of the whole tuple", builder.CustomCallOptions{Target: "t", Results: []tensor.Shape{vector, vector},
			Aliases: aliasing.List{{}}}, "use [i] for the i-th one"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBuilder(t)
			f := b.Func("main", vector)
			out := builder.CustomCall(test.options, f.Param(0))
			line := here(1)
			f.Return(out...)
			wantMistake(t, b, "custom_call_test.go", line, test.want)
		})
	}
}

// A call of Go with a layout other than row-major would read the elements in the wrong
// order.
func TestCustomCallLayouts(t *testing.T) {
	rows, columns := [][]int64{{1, 0}}, [][]int64{{0, 1}}
	contracts := map[string]any{"v": int64(1), "form": "call", "callback": "f"}
	for _, test := range []struct {
		name string
		o    builder.CustomCallOptions
		want string // "" where it is fine
	}{
		{"row-major", builder.CustomCallOptions{Target: "calliope_runtime_call", Config: contracts,
			OperandLayouts: rows, ResultLayouts: rows}, ""},
		{"operand", builder.CustomCallOptions{Target: "calliope_runtime_call", Config: contracts,
			OperandLayouts: columns, ResultLayouts: rows},
			"operand_layouts of the call of @calliope_runtime_call gives operand 0, tensor<2x3xf32>, the layout [0 1]"},
		{"result", builder.CustomCallOptions{Target: "calliope_runtime_call", Config: contracts, OperandLayouts: rows,
			ResultLayouts: columns},
			"result_layouts of the call of @calliope_runtime_call gives result 0"},
		{"target of another host", builder.CustomCallOptions{Target: "exla_elixir_callback", OperandLayouts: columns,
			ResultLayouts: rows}, "row-major"},
		{"target of one's own", builder.CustomCallOptions{Target: "mine", Config: contracts, OperandLayouts: columns,
			ResultLayouts: rows}, "row-major"},
		{"another handler",
			builder.CustomCallOptions{Target: "lapack", OperandLayouts: columns, ResultLayouts: columns}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBuilder(t)
			matrix := tensor.ShapeOf(tensor.F32, 2, 3)
			f := b.Func("main", matrix)
			test.o.Results = []tensor.Shape{matrix}
			out := builder.CustomCall(test.o, f.Param(0))
			line := here(1)
			f.Return(out...)
			_, err := b.Module()
			if test.want == "" {
				check.Report(t, err)
				return
			}
			var e *builder.Error
			var layout *callop.LayoutError
			if !errors.As(err, &e) || !errors.As(err, &layout) || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error is %v, want one that says %q", err, test.want)
			}
			if e.Line != line {
				t.Errorf("the mistake is said to be at line %d, it is on line %d", e.Line, line)
			}
		})
	}
}
