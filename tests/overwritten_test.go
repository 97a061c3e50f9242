package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestOverwritten holds what xlafix.Deviations says about values that XLA overwrites against XLA: of each module that
// it reports, the results differ with the preparation, and of no other here.
func TestOverwritten(t *testing.T) {
	check.NoError(t, callbacks.Default.Register("clears", func(f *callbacks.Frame) error {
		clear(f.Results[0].Data)
		return nil
	}, callbacks.Options{}))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister("clears")) })
	call := func(v string) string {
		return fmt.Sprintf(`stablehlo.custom_call @calliope_io_callback(%s) {api_version = 4 : i32, has_side_effect = true,
			backend_config = {callback = "clears", form = "passthrough", v = 1 : i64},
			output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]}
			: (tensor<4xf32>) -> tensor<4xf32>`+"\n", v)
	}
	n := 0
	branch := func(v, then string) string { // $t is what it returns
		n++
		return strings.NewReplacer("$t", fmt.Sprintf("%%t%d", n)).Replace(fmt.Sprintf(`%%if%d = "stablehlo.if"(%%p) ({
			%s
			stablehlo.return $t : tensor<4xf32>
		}, {
			%%e%d = stablehlo.negate %s : tensor<4xf32>
			stablehlo.return %%e%d : tensor<4xf32>
		}) : (tensor<i1>) -> tensor<4xf32>`+"\n", n, then, n, v, n))
	}
	loop := func(v, next, body string) string {
		return fmt.Sprintf(`%%l:2 = stablehlo.while(%%i = %%zero, %%v = %s) : tensor<i32>, tensor<4xf32> cond {
			%%three = stablehlo.constant dense<3> : tensor<i32>
			%%c = stablehlo.compare LT, %%i, %%three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
			stablehlo.return %%c : tensor<i1>
		} do {
			%%one = stablehlo.constant dense<1> : tensor<i32>
			%%n = stablehlo.add %%i, %%one : tensor<i32>
			%s
			stablehlo.return %%n, %s : tensor<i32>, tensor<4xf32>
		}`+"\n", v, body, next)
	}
	const computed = "%d = stablehlo.cosine %0 : tensor<4xf32>\n"
	client := newClient(t, 1)
	for _, test := range []struct {
		name, body, returns string
		want                bool
	}{
		{"not in a branch", "%w = " + call("%0"), "%0", false},
		{"in a branch", branch("%0", "$t = "+call("%0")), "%0", true},
		{"in a branch, not returned", branch("%0", "$t = "+call("%0")), "%if2", false},
		{"in a branch, one of two results", branch("%0", "$t = "+call("%0")), "%0, %0", false},
		{"in a branch, used later", branch("%0", "$t = "+call("%0")) + "%r = stablehlo.cosine %0 : tensor<4xf32>\n", "%r",
			false},
		{"in a branch, reshaped", `%r = stablehlo.reshape %0 : (tensor<4xf32>) -> tensor<2x2xf32>
			%s = stablehlo.reshape %r : (tensor<2x2xf32>) -> tensor<4xf32>` + "\n" + branch("%0", "$t = "+call("%s")), "%0", true},
		{"in a branch, on its own value", branch("%0", computed+"%w = "+call("%d")+
			"$t = stablehlo.reshape %d : (tensor<4xf32>) -> tensor<4xf32>"), "%if6", false},
		{"a parameter", branch("%x", "$t = "+call("%x")), "%x", true},
		{"a function in a branch", branch("%0", "$t = func.call @f(%0) : (tensor<4xf32>) -> tensor<4xf32>"), "%0", true},
		{"a function", "%w = func.call @f(%0) : (tensor<4xf32>) -> tensor<4xf32>", "%0", false},
		{"what a branch returns, in a branch of it", branch("%0", computed+branch("%d", "$t = "+call("%d"))+
			"$t = stablehlo.reshape %d : (tensor<4xf32>) -> tensor<4xf32>"), "%if10", true},
		{"behind a barrier", branch("%0", computed+branch("%d", "$t = "+call("%d"))+
			"$t = stablehlo.optimization_barrier %d : tensor<4xf32>"), "%if12", false},
		{"a loop in a branch", branch("%0", loop("%0", "%w", "%w = "+call("%v"))+
			"$t = stablehlo.negate %l#1 : tensor<4xf32>"), "%0", true},
		{"in a loop", loop("%0", "%v", "%w = "+call("%v")), "%l#1", false},
		{"in a branch in a loop", loop("%0", "%d", strings.ReplaceAll(computed, "%0", "%v")+
			branch("%d", "$t = "+call("%d"))), "%l#1", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			types := strings.TrimPrefix(strings.Repeat(", tensor<4xf32>", strings.Count(test.returns, "%")), ", ")
			text := `func.func @main(%x: tensor<4xf32>) -> (` + types + `) {
				%first = stablehlo.slice %x [0:1] : (tensor<4xf32>) -> tensor<1xf32>
				%scalar = stablehlo.reshape %first : (tensor<1xf32>) -> tensor<f32>
				%null = stablehlo.constant dense<0.0> : tensor<f32>
				%zero = stablehlo.constant dense<0> : tensor<i32>
				%p = stablehlo.compare GT, %scalar, %null : (tensor<f32>, tensor<f32>) -> tensor<i1>
				%0 = stablehlo.add %x, %x : tensor<4xf32>
				` + test.body + "\nreturn " + test.returns + " : " + types + "\n}\n"
			if strings.Contains(text, "@f(") {
				text += "func.func private @f(%v: tensor<4xf32>) -> tensor<4xf32> {\n%w = " + call("%v") +
					"return %w : tensor<4xf32>\n}"
			}
			m := check.Must(newContext(t).Parse("", []byte(text)))
			check.Diff(t, "what Deviations reports", test.want, len(xlafix.Deviations(m, m.Operation().Index())) > 0)
			run := func(p engine.Program) string {
				e := check.Must(client.Compile(t.Context(), p, engine.CompileOptions{}))
				defer e.Close()
				x := check.Must(client.ArrayFromHost(t.Context(), tensor.Vector[float32](1, 2, 3, 4), 0))
				defer x.Close()
				text := ""
				for _, b := range check.Must(e.Run(t.Context(), x)) {
					text += fmt.Sprint(check.Must(b.ToHost(t.Context())))
					check.NoError(t, b.Close())
				}
				return text
			}
			got := run(stablehlo.Unprepared(m)) != run(passes.Program(m, passes.PrepareOptions{}))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("whether XLA returns something else (-want +got):\n%s", diff)
			}
		})
	}
}
