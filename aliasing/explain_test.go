package aliasing

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// pass is a call that passes its operand %y through as %p.
const pass = `%p = stablehlo.custom_call @t(%y) {api_version = 4 : i32, has_side_effect = true, output_operand_aliases = [
  #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
`

// TestExplain checks the explanations of calls with %y from different sources. Package
// tests checks what XLA does with such programs.
func TestExplain(t *testing.T) {
	main := func(body string) string {
		return "func.func @main(%x: tensor<4xf32>, %b: tensor<i1>, %d: tensor<4xf32> {jax.buffer_donor = true}, %o: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {\n" + body + "}\n"
	}
	const ret = "return %p : tensor<4xf32>\n"
	tests := []struct {
		name, text string
		want       Cause
		says       string
	}{
		{"computed", main("%y = stablehlo.cosine %x : tensor<4xf32>\n" + pass + ret), NoCopy,
			"nothing else uses the operand"},
		{"argument", main(strings.ReplaceAll(pass, "%y", "%x") + ret), NotDonated,
			`argument 0 of "main" is not donated`},
		{"buffer donor", main(strings.ReplaceAll(pass, "%y", "%d") + ret), NoCopy, "if the run donates argument 2"},
		{"aliasing output", main(strings.ReplaceAll(pass, "%y", "%o") + ret), NoCopy, "if the run donates argument 3"},
		{"reshaped argument", main(`%z = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<2x2xf32>
			%y = stablehlo.reshape %z : (tensor<2x2xf32>) -> tensor<4xf32>
			` + pass + ret), NotDonated, "not donated"},
		{"view of what is used after", main(`%c = stablehlo.cosine %x : tensor<4xf32>
			%z, %y = stablehlo.optimization_barrier %x, %c : tensor<4xf32>, tensor<4xf32>
			` + pass + `%s = stablehlo.sine %c : tensor<4xf32>
			%r = stablehlo.add %s, %p : tensor<4xf32>
			return %r : tensor<4xf32>`), UsedAfter, "stablehlo.sine at"},
		{"used before", main(`%y = stablehlo.cosine %x : tensor<4xf32>
			%s = stablehlo.sine %y : tensor<4xf32>
			%p, %q = stablehlo.custom_call @t(%y, %s) {api_version = 4 : i32, has_side_effect = true, output_operand_aliases = [
				#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]} :
				(tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
			` + ret), NoCopy, "nothing is copied"},
		{"read twice", main(`%y = stablehlo.cosine %x : tensor<4xf32>
			%p = stablehlo.custom_call @t(%y, %y) {api_version = 4 : i32, has_side_effect = true, output_operand_aliases = [
				#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} :
				(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
			` + ret), ReadTwice, "takes it as operand 1"},
		{"constant", main("%y = stablehlo.constant dense<1.0> : tensor<4xf32>\n" + pass + ret), IsConstant,
			"part of the program"},
		{"of constants", main(`%c = stablehlo.constant dense<1.0> : tensor<4xf32>
			%z = stablehlo.add %c, %c : tensor<4xf32>
			%y = stablehlo.cosine %z : tensor<4xf32>
			` + pass + ret), IsConstant, "part of the program"},
		{"broadcast constant", main(`%c = stablehlo.constant dense<1.0> : tensor<f32>
			%y = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<4xf32>
			` + pass + ret), NoCopy, "nothing is copied"},
		{"in a condition", main(`%p = stablehlo.while(%y = %x) : tensor<4xf32> cond {
				` + strings.ReplaceAll(pass, "%p", "%q") + `stablehlo.return %b : tensor<i1>
			} do { %c = stablehlo.cosine %y : tensor<4xf32>
				stablehlo.return %c : tensor<4xf32> }
			` + ret), InCondition, "must not change the loop's state"},
		{"in a reducer", `func.func @main(%x: tensor<4x4xf32>) -> tensor<4xf32> {
			%c = stablehlo.constant dense<1.0> : tensor<4xf32>
			%p = "test.op"(%x) ({^bb0(%y: tensor<4xf32>):
				` + strings.ReplaceAll(pass, "%p", "%q") + `"test.end"(%q) : (tensor<4xf32>) -> ()
			}) : (tensor<4x4xf32>) -> tensor<4xf32>
			return %p : tensor<4xf32>}`, Unclear, "an argument of test.op"},
		{"called twice", main("%c = stablehlo.cosine %d : tensor<4xf32>\n%q = func.call @f(%c) : (tensor<4xf32>) -> tensor<4xf32>\n%p = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"+ret) +
			"func.func private @f(%y: tensor<4xf32>) -> tensor<4xf32> {\n" + pass + ret + "}", NotDonated,
			"in the call at"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := mlirtest.Context(t)
			c.SetAllowUnregistered(true)
			m, err := c.Parse("", []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			var got []Explanation
			for op := range m.Operation().All() {
				got = append(got, Explain(op)...)
			}
			if len(got) != 1 {
				t.Fatalf("%d explanations", len(got))
			}
			if got[0].Cause != test.want || !strings.Contains(got[0].Text, test.says) {
				t.Errorf("cause %q: %s; want %q, with %q", got[0].Cause, got[0].Text, test.want, test.says)
			}
		})
	}
}

// TestExplainWrong checks that wrong aliases are explained too, without a crash.
func TestExplainWrong(t *testing.T) {
	c := mlirtest.Context(t)
	for _, test := range lists {
		if len(test.results) == 0 {
			continue
		}
		var call stablehlo.CustomCallOp
		call.Aliases = test.list
		op := create(t, c, call, test.operands, test.results)
		got := Explain(op)
		if len(got) != len(test.list) {
			t.Errorf("%s: %d explanations of %d aliases", test.name, len(got), len(test.list))
		}
		for i, e := range got {
			if diff := cmp.Diff(e.Index, i); diff != "" || e.Text == "" {
				t.Errorf("%s: explanation %d is %+v", test.name, i, e)
			}
		}
	}
	if got := Explain(c.NewModule(mlir.Location{}).Operation()); got != nil {
		t.Errorf("a module has %v", got)
	}
}
