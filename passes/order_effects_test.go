package passes_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/passes/order"
)

// tapOf returns a tap without a token.
func tapOf(name, effect, operand string) string {
	return fmt.Sprintf(`stablehlo.custom_call @calliope_io_callback(%s) {api_version = 4 : i32, has_side_effect = true,
    backend_config = {v = 1 : i64, form = "observe", callback = %q, effect = %q}} : (tensor<f32>) -> ()
  `, operand, name, effect)
}

func TestOrderEffects(t *testing.T) {
	text := `
func.func private @g(%x: tensor<f32>) -> tensor<f32> {
  ` + tapOf("in g", "a", "%x") + `
  return %x : tensor<f32>
}
func.func @main(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
  ` + tapOf("first", "a", "%x") + tapOf("other", "b", "%x") + tapOf("free", "", "%x") + `
  %y = call @g(%x) : (tensor<f32>) -> tensor<f32>
  %z = stablehlo.while(%i = %y) : tensor<f32>
    cond {
      %c = stablehlo.compare LT, %i, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      ` + tapOf("in the loop", "a", "%i") + tapOf("in the loop, other", "b", "%i") + `
      %n = stablehlo.add %i, %i : tensor<f32>
      stablehlo.return %n : tensor<f32>
    }
  %w = "stablehlo.if"(%p) ({
      ` + tapOf("in a branch", "a", "%z") + `
      stablehlo.return %z : tensor<f32>
    }, {
      stablehlo.return %x : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
  ` + tapOf("last", "a", "%w") + tapOf("last, other", "b", "%w") + `
  return %w : tensor<f32>
}`
	m := parse(t, text)
	before, err := order.Unordered(m, order.Options{})
	check.NoError(t, err)
	if before.Total == 0 {
		t.Fatal("the calls are ordered already")
	}
	n, err := passes.OrderEffects(m)
	check.NoError(t, err)
	check.Diff(t, "ordered", 8, n)
	after, err := order.Unordered(m, order.Options{})
	check.NoError(t, err)
	check.Diff(t, "unordered afterwards", "", fmt.Sprint(after.Pairs)[1:len(fmt.Sprint(after.Pairs))-1])
	tokens := map[string]int{}
	for call := range callop.Calls(m) {
		tokens[call.Config.Effect] += call.Config.NumTokens
	}
	check.Diff(t, "tokens by effect", map[string]int{"a": 5, "b": 3, "": 0}, tokens)

	printed := m.String()
	n, err = passes.OrderEffects(parse(t, `func.func @main() { return }`))
	check.NoError(t, err)
	check.Diff(t, "ordered in a module without callbacks", 0, n)
	n, err = passes.OrderEffects(m)
	check.NoError(t, err)
	check.Diff(t, "ordered the second time", 0, n)
	check.Diff(t, "the module afterwards", printed, m.String())
}

func TestOrderEffectsErrors(t *testing.T) {
	const token = `%t = stablehlo.constant dense<0> : tensor<1xi8>
  %u = stablehlo.custom_call @calliope_io_callback(%x, %t) {api_version = 4 : i32, has_side_effect = true,
    backend_config = {v = 1 : i64, form = "observe", callback = "see", effect = "a", n_tokens = 1 : i64}} : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>
  `
	for _, test := range []struct{ calls, want string }{
		{token + tapOf("f", "a", "%x"), `some callbacks of the effect "a" have a token and some have none`},
		{tapOf("f", "*", "%x"), `callback "f" is ordered against all effects ("*")`},
		{`stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "observe"}} : (tensor<f32>) -> ()`, "callback"},
	} {
		m := parse(t, "func.func @main(%x: tensor<f32>) {\n"+test.calls+"\nreturn\n}")
		before := m.String()
		_, err := passes.OrderEffects(m)
		check.Error(t, err, "passes: OrderEffects: ", test.want)
		check.Diff(t, "the module afterwards", before, m.String())
	}
}
