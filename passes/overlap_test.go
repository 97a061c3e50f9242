package passes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

// callOf returns a callback of a vector. more is inserted after the backend_config.
func callOf(form, operand, more string) string {
	target := "calliope_runtime_call"
	if form == "passthrough" {
		target = "calliope_io_callback"
		more += ", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]"
	}
	return fmt.Sprintf("stablehlo.custom_call @%s(%s) {api_version = 4 : i32, has_side_effect = %t, backend_config = {v = 1 : i64, form = %q, callback = \"f\"}%s} : (tensor<4xf32>) -> tensor<4xf32>",
		target, operand, form != "pure", form, more)
}

func vectorMain(body string) string {
	return "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n" + body + "}"
}

func groupsOf(m *mlir.Module) []callop.Group {
	return callop.Groups(m, func(callop.Call) bool { return true })
}

// The operands of the last call at the end, and the number of calls.
func TestLetOverlap(t *testing.T) {
	const add = " = stablehlo.add %a, %a : tensor<4xf32>\n"
	for name, test := range map[string]struct {
		body string
		want string // the operands of the last call, "" if nothing is added
		n    int    // calls that are added
	}{
		"two": {"%x" + add + "%y" + add + "%r = " + callOf("call", "%x", "") + "\n%s = " +
			callOf("call", "%y", "") + "\nreturn %r : tensor<4xf32>\n", "%c, %0, %2, %1, %3", 7},
		"of a parameter": {"%r = " + callOf("call", "%a", "") + "\n%s = " + callOf("call", "%a", "") +
			"\nreturn %r : tensor<4xf32>\n", "%c, %0, %1", 7},
		"in place": {"%x" + add + "%y" + add + "%r = " + callOf("passthrough", "%x", "") + "\n%s = " +
			callOf("passthrough", "%y", "") + "\nreturn %r : tensor<4xf32>\n", "%c, %2, %3", 7},
		// If %r were an operand, the second call in place would need a copy of it.
		"in place twice": {"%x" + add + "%r = " + callOf("passthrough", "%x", "") + "\n%s = " + callOf("passthrough",
			"%r", "") + "\n%q = " + callOf("call", "%a", "") + "\nreturn %s : tensor<4xf32>\n", "%c, %2, %3", 6},
		// XLA removes a pure call without uses, so it must not get one.
		"pure, unused": {"%x" + add + "%r = " + callOf("call", "%a", "") + "\n%s = " + callOf("pure", "%x", "") +
			"\nreturn %r : tensor<4xf32>\n", "%c, %1", 8},
		"pure, used": {"%x" + add + "%r = " + callOf("call", "%a", "") + "\n%s = " + callOf("pure", "%x", "") +
			"\n%z = stablehlo.add %r, %s : tensor<4xf32>\nreturn %z : tensor<4xf32>\n", "%c, %1, %0, %2", 8},
		"chain": {"%r = " + callOf("call", "%a", "") + "\n%s = " + callOf("call", "%r", "") +
			"\nreturn %s : tensor<4xf32>\n", "", 0},
		"one":  {"%r = " + callOf("call", "%a", "") + "\nreturn %r : tensor<4xf32>\n", "", 0},
		"none": {"%x" + add + "return %x : tensor<4xf32>\n", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := mlirtest.Context(t).Parse("m", []byte(vectorMain(test.body)))
			check.NoError(t, err)
			defer m.Close()
			before := m.String()
			n, err := passes.LetOverlap(m)
			check.NoError(t, err)
			last, calls := "", 0
			for call := range callop.Calls(m) {
				if call.Config.Callback == callop.OverlapCallback {
					calls++
					_, last, _ = strings.Cut(call.Op.String(), "(")
					last, _, _ = strings.Cut(last, ")")
				}
			}
			if d := cmp.Diff(test.want, last); d != "" || calls != test.n || (n > 0) != (test.n > 0) {
				t.Errorf("%d calls in %d blocks, want %d; the last one's operands (-want +got):\n%s\n%s", calls, n,
					test.n, d, m)
			}
			if n == 0 && before != m.String() {
				t.Errorf("LetOverlap returned 0:\n%s", m)
			}
			for _, g := range groupsOf(m) {
				if n > 0 && (!g.Helped || g.Steps <= callop.SequentialSteps || g.Bytes <= callop.SequentialBytes) {
					t.Errorf("after it there are %d steps and %d bytes", g.Steps, g.Bytes)
				}
			}
		})
	}
}
