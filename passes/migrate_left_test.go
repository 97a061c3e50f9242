package passes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

// TestMigrateLeft checks what Migrate leaves, and why. The rest of a module is migrated.
func TestMigrateLeft(t *testing.T) {
	const condition = `stablehlo.while(%i = %x) : V4 cond {
  NEXT
  %true = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.return %true : tensor<i1>
} do { stablehlo.return %i : V4 }`
	deep := `%o = OUTF(%x, %t) : (V)`
	for n := range 12 {
		deep = strings.Replace("%r = "+strings.ReplaceAll(condition, "%i", fmt.Sprintf("%%i%d", n)), "NEXT", deep, 1)
	}
	for name, test := range map[string]struct {
		text string
		want []string // what is left
		done []string // the callbacks
	}{
		"send, and outfeeds on its token": {text: `func.func @main(%x: V4) -> V4 {
  %t = TOKEN
  %u = OUTF(%x, %t) : (V)
  %s = "stablehlo.send"(%x, %u) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (V4, !t) -> !t
  %other = TOKEN
  %v = OUTF(%x, %x, %other) : (V4, V4, !t) -> !t
  return %x : V4 }`,
			want: []string{
				"test.mlir:4:8: stablehlo.outfeed: its token is also that of stablehlo.send at test.mlir:5:8",
				"test.mlir:5:8: stablehlo.send: it uses a token, and is not known to Migrate",
			}, done: []string{"outfeed_0(4xf32, 4xf32)"}},
		"a module in the module": {text: `func.func @main(%x: V4) -> V4 {
  func.call @f(%x) : (V4) -> ()
  return %x : V4 }

func.func private @f(%x: V4) { return }
module @inner {
  func.func @call(%x: V4) {
    %t = TOKEN
    func.call @f(%x, %t) : (V4, !t) -> ()
    return
  }
  func.func private @f(%x: V4, %t: !t) {
    %u = OUTF(%x, %t) : (V)
    return
  }
}`,
			want: []string{
				"test.mlir:10:5: func.call: it uses a token, and is not known to Migrate",
				"test.mlir:13:3: func.func: a token is in its signature, which cannot change",
				"test.mlir:14:10: stablehlo.outfeed: it is not in a function of the outermost module",
			}},
		"a custom call that takes a token": {
			text: `func.func @main(%t: !t {jax.token = true}, %x: V4) -> (!t {jax.token = true}, V4) {
  %u = stablehlo.custom_call @host(%t, %x) {has_side_effect = true} : (!t, V4) -> !t
  return %u, %x : !t, V4 }`,
			want: []string{"test.mlir:3:8: stablehlo.custom_call: it uses a token, and is not known to Migrate"}},
		"a reduction": {text: `func.func @main(%x: V4) -> tensor<f32> {
  %t = TOKEN
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %z) across dimensions = [0] : (V4, tensor<f32>) -> tensor<f32> reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %o = OUTF(%a, %t) : (tensor<f32>, !t) -> !t
    stablehlo.custom_call @tell(%a) {has_side_effect = true} : (tensor<f32>) -> ()
    func.call @f(%a) : (tensor<f32>) -> ()
    stablehlo.return %b : tensor<f32>
  }
  return %r : tensor<f32> }
func.func private @f(%a: tensor<f32>) {
  stablehlo.custom_call @tell(%a) {has_side_effect = true} : (tensor<f32>) -> ()
  return }`,
			want: []string{
				"test.mlir:6:10: stablehlo.outfeed: it is in stablehlo.reduce, where no callback can run",
				"test.mlir:7:5: stablehlo.custom_call: it is in stablehlo.reduce, where no callback can run",
				"test.mlir:13:3: stablehlo.custom_call: the function @f is called where no callback can run",
			}},
		"values in another block": {text: `func.func @main(%x: V4, %p: tensor<i1>) -> V4 {
  %t = TOKEN
  %c = FLAG1
  %u = OUTF(%c, %t) : (FLAG)
  %v = "stablehlo.if"(%p) ({
    %w = OUTF(%x, %u) : (V)
    stablehlo.return %w : !t
  }, { stablehlo.return %u : !t }) : (tensor<i1>) -> !t
  return %x : V4 }`,
			want: []string{
				"test.mlir:5:8: stablehlo.outfeed: it sends the flag 1, but several operations use its token",
				"test.mlir:7:10: stablehlo.outfeed: its token is also that of stablehlo.outfeed at test.mlir:5:8, which stays",
			}},
		"a flag before a call": {text: `func.func @main(%x: V4) -> V4 {
  %t = TOKEN
  %c = FLAG1
  %u = OUTF(%c, %t) : (FLAG)
  %v = func.call @f(%x, %u) : (V4, !t) -> !t
  return %x : V4 }
func.func private @f(%x: V4, %t: !t) -> !t {
  %u = OUTF(%x, %t) : (V)
  return %u : !t }`,
			want: []string{
				"test.mlir:5:8: stablehlo.outfeed: it sends the flag 1, but the outfeeds that belong to the flag are not in its block",
				"test.mlir:9:8: stablehlo.outfeed: its token is also that of stablehlo.outfeed at test.mlir:5:8, which stays",
			}},
		"a declaration": {text: `func.func private @f(!t) -> !t
func.func @main(%x: V4) -> V4 {
  %t = TOKEN
  %u = func.call @f(%t) : (!t) -> !t
  return %x : V4 }`,
			want: []string{
				"test.mlir:2:1: func.func: a token is in its signature, which cannot change",
				"test.mlir:5:8: func.call: it uses a token, and is not known to Migrate",
			}},
		"a function that calls itself": {text: `func.func @main(%x: V4) -> V4 {
  %t = TOKEN
  %u = func.call @f(%x, %t) : (V4, !t) -> !t
  return %x : V4 }
func.func private @f(%x: V4, %t: !t) -> !t {
  %u = OUTF(%x, %t) : (V)
  %v = func.call @f(%x, %u) : (V4, !t) -> !t
  return %v : !t }`,
			want: []string{"test.mlir:7:8: stablehlo.outfeed: the function @f calls itself"}},
		"branches between blocks": {text: `func.func @main(%x: V4) -> V4 {
  %t = TOKEN
  cf.br ^next(%t : !t)
^next(%u: !t):
  %v = OUTF(%x, %u) : (V)
  return %x : V4 }`,
			want: []string{
				"test.mlir:2:1: func.func: it uses a token, and is not known to Migrate",
				"test.mlir:4:3: cf.br: it uses a token, and is not known to Migrate",
				"test.mlir:6:8: stablehlo.outfeed: it is in a region of func.func with several blocks",
			}},
		"another module": {text: `module @inner { func.func @main(%x: V4) -> V4 {
  %t = TOKEN
  %v = OUTF(%x, %t) : (V)
  return %x : V4 } }
func.func @main(%x: V4) -> V4 { return %x : V4 }`,
			want: []string{"test.mlir:4:8: stablehlo.outfeed: it is not in a function of the outermost module"}},
		"conditions of conditions": {text: "func.func @main(%x: V4) -> V4 {\n%t = TOKEN\n" + deep +
			"\nreturn %x : V4 }",
			want: []string{"stablehlo.outfeed: it is in more than 8 conditions of loops in one another"}},
		"calls with attributes": {text: `func.func @main(%x: V4) -> V4 {
  stablehlo.custom_call @a(%x) {has_side_effect = true, api_version = 4 : i32, backend_config = {n = 1 : i64}} : (V4) -> ()
  stablehlo.custom_call @b(%x) {has_side_effect = true, backend_config = "123"} : (V4) -> ()
  stablehlo.custom_call @c(%x) {has_side_effect = true, backend_config = "", mhlo.backend_config = {index = 0 : ui64}} : (V4) -> ()
  %d = stablehlo.custom_call @d(%x) {has_side_effect = true} : (V4) -> tuple<V4>
  stablehlo.custom_call @calliope_io_callback(%x) {has_side_effect = true, api_version = 4 : i32, backend_config = {v = 1 : i64, form = "wrong", callback = "f"}} : (V4) -> ()
  return %x : V4 }`,
			want: []string{
				"test.mlir:3:3: stablehlo.custom_call: it has side effects, and there is no callback for the handler of @a",
				"test.mlir:4:3: stablehlo.custom_call: it has side effects, and there is no callback for the handler of @b",
				"test.mlir:5:3: stablehlo.custom_call: it has side effects, and there is no callback for the handler of @c",
				"test.mlir:6:8: stablehlo.custom_call: a result is tuple<tensor<4xf32>>, not an array",
				`test.mlir:7:3: stablehlo.custom_call: contract: `,
			}},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, "\n"+shorthand.Replace(test.text))
			before := m.String()
			result, err := passes.Migrate(m, passes.MigrateOptions{})
			if err != nil {
				t.Fatalf("%v\n%s", err, m)
			}
			var got []string
			for i, l := range result.Skipped {
				text := l.String()
				if i < len(test.want) && strings.Contains(text, test.want[i]) {
					text = test.want[i]
				}
				got = append(got, text)
			}
			check.Diff(t, "what is left", test.want, got)
			var names []string
			for _, cb := range result.Callbacks {
				names = append(names, cb.Name)
			}
			for i, c := range test.done {
				test.done[i], _, _ = strings.Cut(c, "(")
			}
			check.Diff(t, "callbacks", test.done, names)
			if len(test.done) == 0 {
				check.Diff(t, "the module", before, m.String())
			}
		})
	}
}

// TestMigrateOptions checks names, the effect and the registry.
func TestMigrateOptions(t *testing.T) {
	m := parse(t, shorthand.Replace(`func.func @main(%x: V4) -> V4 {
  %t = TOKEN
  %u = OUTF(%x, %t) : (V)
  stablehlo.custom_call @a(%x) {has_side_effect = true, api_version = 4 : i32, backend_config = {n = 1 : i64}} : (V4) -> ()
  return %x : V4 }`))
	result, err := passes.Migrate(m,
		passes.MigrateOptions{Effect: "log", Registry: "r", Callback: func(op mlir.Operation) string {
			target, _ := op.Attribute("call_target_name")
			name, _ := target.Text()
			return "my " + name
		}})
	if err != nil || len(result.Skipped) > 0 || result.Tokens != 1 {
		t.Fatal(result, err)
	}
	clean(t, m)
	check.Diff(t, "callbacks", []string{"outfeed_0(4xf32)", "my a(4xf32)"}, outline(t, m))
	if n := strings.Count(m.String(), `effect = "log", form = "observe", loc = "test.mlir:`); n != 2 {
		t.Errorf("%d callbacks have the effect:\n%s", n, m)
	}
	if n := strings.Count(m.String(), `registry = "r"`); n != 2 {
		t.Errorf("%d callbacks are in the registry:\n%s", n, m)
	}
}

// TestMigrateText checks the text of a migrated module.
func TestMigrateText(t *testing.T) {
	m := parse(t, `module {
  func.func @main(%arg0: tensor<f32>, %arg1: !stablehlo.token) -> (!stablehlo.token, tensor<f32>) {
    %flag = stablehlo.constant dense<3> : tensor<ui16>
    %0 = "stablehlo.outfeed"(%flag, %arg1) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token
    %1 = "stablehlo.outfeed"(%arg0, %0) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
    return %1, %arg0 : !stablehlo.token, tensor<f32>
  }
}`)
	if _, err := passes.Migrate(m, passes.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	check.Diff(t, "module", `module {
  func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
    %c = stablehlo.constant dense<0> : tensor<1xi8>
    %0 = stablehlo.custom_call @calliope_io_callback(%arg0, %c) {api_version = 4 : i32, backend_config = {callback = "hook_3", form = "observe", loc = "test.mlir:5", n_tokens = 1 : i64, signature = "678eb138d5f242b5", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>
    return %arg0 : tensor<f32>
  }
}
`, m.String())
}

// FuzzMigrate migrates damaged modules. Migrate must not crash, and what it makes is valid and
// has nothing more to migrate.
func FuzzMigrate(f *testing.F) {
	for _, text := range []string{
		`func.func @main(%x: V4) -> V4 { %t = TOKEN
  %u = OUTF(%x, %t) : (V)
  return %x : V4 }`,
		`func.func @main(%x: V4, %t: !t) -> (V4, !t) { %c = FLAG1
  %u = OUTF(%c, %t) : (FLAG)
  %i:2 = INF(%u) : (RECEIVED)
  %r:2 = stablehlo.while(%a = %i#0, %b = %i#1) : V4, !t cond { %e = OUTF(%a, %b) : (V)
    %p = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do { %e = OUTF(%a, %b) : (V)
    stablehlo.return %a, %e : V4, !t }
  return %r#0, %r#1 : V4, !t }`,
	} {
		f.Add(shorthand.Replace(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := mlirtest.Context(t)
		m, err := c.Parse("fuzz.mlir", []byte(text))
		if err != nil {
			return
		}
		defer m.Close()
		result, err := passes.Migrate(m, passes.MigrateOptions{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		again, err := passes.Migrate(m, passes.MigrateOptions{})
		if err != nil || len(again.Callbacks) > 0 && len(result.Skipped) == 0 {
			t.Errorf("a second migration made %v: %v\n%s", again.Callbacks, err, text)
		}
	})
}

// Keep keeps operations, and all on their tokens. The rest of the module is migrated.
func TestMigrateKeep(t *testing.T) {
	m := parse(t, shorthand.Replace(`func.func @main(%x: V4) -> V4 {
  %t = TOKEN
  %u = OUTF(%x, %t) : (V)
  %v = OUTF(%x, %u) : (V)
  %s = TOKEN
  %w = OUTF(%x, %s) : (V)
  %c = stablehlo.custom_call @calliope_io_callback(%x) {has_side_effect = true, api_version = 4 : i32, backend_config = {v = 1 : i64, form = "observe", callback = "mine"}} : (V4) -> tensor<1xi8>
  return %x : V4 }`))
	result, err := passes.Migrate(m, passes.MigrateOptions{Keep: func(op mlir.Operation) string {
		if line := op.Location().Position().Line; line == 4 || line == 7 {
			return "it is wanted"
		}
		return ""
	}})
	check.NoError(t, err)
	var skipped []string
	for _, s := range result.Skipped {
		skipped = append(skipped, s.String())
	}
	check.Diff(t, "what is skipped", []string{
		"test.mlir:3:8: stablehlo.outfeed: its token is also that of stablehlo.outfeed at test.mlir:4:8, which stays: it is wanted",
		"test.mlir:4:8: stablehlo.outfeed: it is wanted",
		"test.mlir:7:8: stablehlo.custom_call: it is wanted",
	}, skipped)
	check.Diff(t, "callbacks", 1, len(result.Callbacks))
	check.Diff(t, "tokens", 1, result.Tokens)
}
