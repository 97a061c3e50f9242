package passes_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// twoEffects builds a module whose main has taps of two effects, in a region and in a function.
func twoEffects(t *testing.T, o builder.Options) *mlir.Module {
	t.Helper()
	b := builder.New(mlirtest.Context(t), o)
	g := b.Func("g", tensor.ShapeOf(tensor.F32, 2))
	builder.Tap(g.Param(0), builder.Callback{Name: "see", Effect: "second"})
	g.Return()
	f := b.Func("main", tensor.ShapeOf(tensor.F32, 2))
	builder.Tap(f.Param(0), builder.Callback{Name: "see"})
	g.Call(f.Param(0))
	f.Return(
		builder.RuntimeCall(builder.Like(tensor.ShapeOf(tensor.F32, 2)), f.Param(0), builder.Callback{Name: "free"}))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	return m
}

// main gets a token for each effect, and keeps its attributes. A second time, it gets none.
func TestAddRuntimeTokens(t *testing.T) {
	m := twoEffects(t, builder.Options{})
	none, err := stablehlo.RuntimeTokens(m)
	check.NoError(t, err)
	check.Diff(t, "tokens before", 0, len(none))
	added, err := passes.AddRuntimeTokens(m)
	check.NoError(t, err)
	check.Diff(t, "added", []string{"second", ""}, added)
	text := m.String()
	for _, want := range []string{
		`%arg1: tensor<0xi1> {calliope.effect = "second"}, %arg2: tensor<0xi1> {calliope.effect = ""})`,
		`(tensor<2xf32>, tensor<0xi1> {calliope.effect = "second"}, tensor<0xi1> {calliope.effect = ""})`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the module lacks %s:\n%s", want, text)
		}
	}
	got, err := stablehlo.RuntimeTokens(m)
	check.NoError(t, err)
	check.Diff(t, "tokens", added, got)
	described, err := stablehlo.Unprepared(m).Describe("", true)
	check.NoError(t, err)
	check.Diff(t, "tokens of the Program", added, described.Effects)
	again, err := passes.AddRuntimeTokens(m)
	check.NoError(t, err)
	check.Diff(t, "added again", 0, len(again))
	check.Diff(t, "unchanged", text, m.String())
	check.Diff(t, "as by the builder", text, twoEffects(t, builder.Options{RuntimeTokens: true}).String())
}

func TestAddRuntimeTokensErrors(t *testing.T) {
	const tap = `%t = stablehlo.constant dense<0> : tensor<i8>
  %o = stablehlo.custom_call @calliope_io_callback(%t) {api_version = 4 : i32, has_side_effect = true,
    backend_config = {v = 1 : i64, form = "observe", callback = "see", n_tokens = 1 : i64},
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]
  } : (tensor<i8>) -> tensor<i8>
  `
	c := mlirtest.Context(t)
	for _, test := range []struct{ module, want string }{
		{"func.func @other() {\n" + tap + "return\n}", "no function main"},
		{"func.func @main() {\n" + tap + "return\n}\nfunc.func @other() {\ncall @main() : () -> ()\nreturn\n}",
			"refers to main"},
		{"func.func @main(%x: tensor<0xi1> {calliope.effect = \"a\"}) {\nreturn\n}",
			`the effects ["a"], but the results for []`},
		{"func.func @main(%x: tensor<0xi1> {calliope.effect = \"a\"}, %y: tensor<i1>) {\nreturn\n}",
			"parameter 1 of main has no calliope.effect"},
		{"func.func @main(%x: tensor<1xi1> {calliope.effect = \"a\"}) {\nreturn\n}", "a runtime token is a pred[0]"},
		{"func.func @main(%x: tensor<0xi1> {calliope.effect = 1}) {\nreturn\n}", "must be a string"},
		{"func.func @other() {\nreturn\n}", ""},
		{"func.func @main() {\nreturn\n}", ""},
	} {
		m, err := c.Parse("test", []byte(test.module))
		check.NoError(t, err)
		check.Cleanup(t, m)
		before := m.String()
		_, err = passes.AddRuntimeTokens(m)
		if test.want == "" && err != nil || test.want != "" &&
			(err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("got %v, want %q\n%s", err, test.want, test.module)
		}
		check.Diff(t, "unchanged", before, m.String())
	}
}

func TestInsertTapOfAllEffects(t *testing.T) {
	s := spec
	s.Config.Effect = builder.AllEffects
	if _, err := passes.InsertTap(twoEffects(t, builder.Options{}), everything, s); err == nil ||
		!strings.Contains(err.Error(), "name one effect") {
		t.Errorf("got %v", err)
	}
}
