package preflight_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge/preflight"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// called returns a module with one custom call, in line 2.
func called(target, attributes, operands, types, results string) string {
	value := "%r = "
	switch {
	case results == "()":
		value = ""
	case strings.HasPrefix(results, "("):
		value = "%r:2 = "
	}
	return fmt.Sprintf("func.func @main(%%a: tensor<4xf32>, %%b: tensor<i32>, %%t: tensor<i8>, %%i: tensor<i64>, %%u: tensor<3xui8>, %%m: tensor<2x3xf32>) {\n  %sstablehlo.custom_call @%q(%s) {has_side_effect = true, %s} : (%s) -> %s\n  return\n}",
		value, target, operands, attributes, types, results)
}

// tap returns a module with a passthrough call of one operand; config is added to the form.
func tap(config string) string {
	return called(contract.TargetIOCallback,
		`api_version = 4 : i32, backend_config = {v = 1 : i64, form = "passthrough", `+config+`}`,
		"%a", "tensor<4xf32>", "tensor<4xf32>")
}

func registered(t *testing.T) {
	t.Helper()
	other, err := callbacks.NewRegistry("other", callbacks.RegistryOptions{})
	check.NoError(t, err)
	opaque := callbacks.OpaqueID{ID: "\x07\x00"}
	nothing := func(*callbacks.Frame) error { return nil }
	if err := errors.Join(
		callbacks.Default.Register("log", nothing, callbacks.Options{Signature: "f32[4]->f32[4]"}),
		callbacks.Default.Register("any", nothing, callbacks.Options{}),
		other.Register("there", nothing, callbacks.Options{}),
		callbacks.RegisterOpaque(opaque, nothing, callbacks.Options{}),
	); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		other.Close()
		if err := errors.Join(callbacks.Default.Unregister("log"), callbacks.Default.Unregister("any"),
			callbacks.UnregisterOpaque(opaque)); err != nil {
			t.Error(err)
		}
	})
}

// Check reports the problem of one call, and XLA fails to compile exactly the calls that
// have one.
func TestCheck(t *testing.T) {
	registered(t)
	hash := contract.SignatureHash("f32[4]->f32[4]")
	type problem struct {
		Kind                        preflight.Kind
		Callback, Registry, Nearest string
		Text                        string
	}
	const v4 = "api_version = 4 : i32, backend_config = "
	for name, test := range map[string]struct {
		module string
		want   problem // none if Text is ""
		// runs is set if the module compiles anyway, and only a run may fail.
		runs bool
	}{
		"registered":          {module: tap(`callback = "log"`)},
		"with its signature":  {module: tap(`callback = "log", signature = "` + hash + `"`)},
		"any signature":       {module: tap(`callback = "any", signature = "` + hash + `"`)},
		"in another registry": {module: tap(`callback = "there", registry = "other"`)},
		"optional":            {module: tap(`callback = "absent", optional = true`)},
		"optional registry":   {module: tap(`callback = "absent", registry = "absent", optional = true`)},
		"as JAX spells it":    {module: called(contract.TargetIOCallback, `backend_config = "", mhlo.backend_config = {v = 1 : i64, form = "passthrough", callback = "log"}`, "%a", "tensor<4xf32>", "tensor<4xf32>")},
		"observe with a token": {
			module: called(contract.TargetIOCallback,
				v4+`{v = 1 : i64, form = "observe", callback = "any", n_tokens = 1 : i64}`, "%a, %t",
				"tensor<4xf32>, tensor<i8>", "tensor<i8>")},
		"call with a token": {
			module: called(contract.TargetRuntimeCall,
				v4+`{v = 1 : i64, form = "call", callback = "log", n_tokens = 1 : i64}`, "%a, %t",
				"tensor<4xf32>, tensor<i8>", "(tensor<4xf32>, tensor<i8>)")},
		"unknown target": {module: called("shading", v4+"{}", "%a", "tensor<4xf32>", "tensor<4xf32>"),
			want: problem{Kind: preflight.MissingTarget, Nearest: "Sharding",
				Text: `m.mlir:2:8: no handler is registered for the target "shading" (is it "Sharding"?)`}},
		"unlike any": {
			module: called("xla_ffi_python_cpu_callback",
				`backend_config = "", mhlo.backend_config = {index = 0 : ui64}`, "%a", "tensor<4xf32>", "()"),
			want: problem{Kind: preflight.MissingTarget,
				Text: `m.mlir:2:3: no handler is registered for the target "xla_ffi_python_cpu_callback"`}},
		"LAPACK": {module: called("lapack_sgeqrf_ffi", v4+"{}", "%a", "tensor<4xf32>", "tensor<4xf32>"),
			want: problem{Kind: preflight.MissingTarget, Text: "lapack.Register of bridge/lapack serves it"}},
		"ours, misspelt": {module: called("calliope_io_calback", v4+"{}", "%a", "tensor<4xf32>", "()"),
			want: problem{Kind: preflight.MissingTarget, Nearest: contract.TargetIOCallback, Text: "is it"}},
		"unpartitioned": {
			module: called("xla.sdy.GlobalToLocalShape", "api_version = 1 : i32", "%a", "tensor<4xf32>",
				"tensor<2xf32>"),
			want: problem{Kind: preflight.MissingTarget, Text: "compile it with Partitions above 1"}},
		"untyped": {
			module: called(contract.TargetIOCallback, `api_version = 2 : i32, backend_config = "x"`, "%a",
				"tensor<4xf32>", "()"), want: problem{Kind: preflight.WrongVersion,
				Text: `the call has the API version 2: write api_version = 4`}},
		"no attributes": {
			module: called(contract.TargetIOCallback, "api_version = 4 : i32", "%a", "tensor<4xf32>", "()"),
			want: problem{Kind: preflight.BadCall, Callback: "id 0",
				Text: "must be its callback's id, a tensor<i64>, but it is tensor<4xf32>"}, runs: true},
		"id in an operand": {module: called(contract.TargetEXLAElixirCallback, "api_version = 4 : i32", "%a, %i",
			"tensor<4xf32>, tensor<i64>", "tensor<4xf32>")},
		"no operand at all": {module: called(contract.TargetEXLAElixirCallback, "api_version = 4 : i32", "", "",
			"()"), want: problem{Kind: preflight.BadCall, Callback: "id 0", Text: "there are no operands"}, runs: true},
		"opaque id": {module: called(contract.TargetEXLAIOCallback,
			v4+`{callback_id = array<i64: 7>, callback_id_size = 2 : ui64}`, "%a", "tensor<4xf32>", "tensor<4xf32>")},
		"unknown opaque id": {
			module: called(contract.TargetEXLAIOCallback,
				v4+`{callback_id = array<i64: 8>, callback_id_size = 2 : ui64}`, "%a", "tensor<4xf32>",
				"tensor<4xf32>"), want: problem{Kind: preflight.MissingCallback, Callback: "opaque id 0800",
				Text: `callback "opaque id 0800" is not registered`}},
		"opaque id of a server":  {module: called(contract.TargetEXLARuntimeCallback, v4+`{callback_id = array<i64: 7>, callback_id_size = 2 : ui64, num_aliased_data_outputs = 1 : ui64}`, "%u, %a", "tensor<3xui8>, tensor<4xf32>", "tensor<4xf32>")},
		"no server":              {module: called(contract.TargetEXLARuntimeCallback, v4+`{callback_id = array<i64: 7>, callback_id_size = 2 : ui64, num_aliased_data_outputs = 1 : ui64}`, "%a", "tensor<4xf32>", "tensor<4xf32>"), want: problem{Kind: preflight.BadCall, Callback: "opaque id 0700", Text: "must be the name of the callback's server, a tensor<Nxui8>, but it is tensor<4xf32>"}, runs: true},
		"unknown id of a server": {module: called(contract.TargetEXLARuntimeCallback, v4+`{callback_id = array<i64: 8>, callback_id_size = 2 : ui64, num_aliased_data_outputs = 1 : ui64}`, "%u, %a", "tensor<3xui8>, tensor<4xf32>", "tensor<4xf32>"), want: problem{Kind: preflight.MissingCallback, Callback: "opaque id 0800", Text: "is not registered"}},
		"ids, badly typed": {
			module: called(contract.TargetEXLAIOCallback,
				v4+`{callback_id = array<i64: 7>, callback_id_size = 2 : i64}`, "%a", "tensor<4xf32>", "tensor<4xf32>"),
			want: problem{Kind: preflight.BadAttributes, Text: `"callback_id_size"`}},
		"unknown key": {module: tap(`callback = "log", colour = "red"`),
			want: problem{Kind: preflight.BadAttributes, Text: `unknown key "colour"`}},
		"mistyped i64": {module: tap(`callback = "log", every = 2 : i32`),
			want: problem{Kind: preflight.BadAttributes, Text: `the key "every" is an i64, not 2 (int32)`}},
		"mistyped by an array": {module: tap(`callback = "log", every = array<i64: 1>`),
			want: problem{Kind: preflight.BadAttributes, Text: "not []int64{1}"}},
		"mistyped by a float": {module: tap(`callback = "log", optional = 1.5 : f64`),
			want: problem{Kind: preflight.BadAttributes, Text: "is a bool, not 1.5 (float64)"}},
		"mistyped by unsigned": {module: tap(`callback = "log", every = 1 : ui64`),
			want: problem{Kind: preflight.BadAttributes, Text: "(uint64)"}},
		"unknown name": {module: tap(`callback = "lag"`), want: problem{preflight.MissingCallback, "lag", "", "log", `m.mlir:2:8: callbacks: callback "lag" is not registered in the default registry (is it "log"?)`}},
		"unknown registry": {module: tap(`callback = "log", registry = "r"`),
			want: problem{preflight.MissingCallback, "log", "r", "", `there is no registry "r"`}},
		"unknown id": {module: tap(`callback_id = 123456 : i64`),
			want: problem{preflight.MissingCallback, "id 123456", "", "", `callback "id 123456"`}},
		"unknown policy": {module: tap(`callback = "log", policy = "leader"`),
			want: problem{preflight.BadAttributes, "log", "", "", "device policy"}},
		"signature of another": {module: tap(`callback = "log", signature = "0011223344556677"`),
			want: problem{preflight.WrongSignature, "log", "", "",
				`called with f32[4]->f32[4], but the signature in its attributes differs`}},
		"called with other": {
			module: called(contract.TargetIOCallback, v4+`{v = 1 : i64, form = "passthrough", callback = "log"}`, "%b",
				"tensor<i32>", "tensor<i32>"), want: problem{preflight.WrongSignature, "log", "", "",
				"f32[4]->f32[4], but the module calls it with s32[]->s32[]"}, runs: true},
		"any target, any form": {module: called(contract.TargetIOCallback,
			v4+`{v = 1 : i64, form = "call", callback = "any"}`, "%a", "tensor<4xf32>", "tensor<4xf32>")},
		"another layout":   {module: called(contract.TargetIOCallback, v4+`{v = 1 : i64, form = "observe", callback = "any"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = []`, "%m", "tensor<2x3xf32>", "()"), want: problem{Kind: preflight.BadLayout, Text: "operand_layouts of the call of @calliope_io_callback gives operand 0, tensor<2x3xf32>, the layout [0 1]"}},
		"row-major layout": {module: called(contract.TargetIOCallback, v4+`{v = 1 : i64, form = "observe", callback = "any"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = []`, "%m", "tensor<2x3xf32>", "()")},
		"passthrough, one lost": {
			module: called(contract.TargetIOCallback, v4+`{v = 1 : i64, form = "passthrough", callback = "any"}`,
				"%a, %b", "tensor<4xf32>, tensor<i32>", "tensor<4xf32>"),
			want: problem{preflight.BadCall, "any", "", "", "it has 2 operands and 1 results"}, runs: true},
		"passthrough, changed": {
			module: called(contract.TargetIOCallback, v4+`{v = 1 : i64, form = "passthrough", callback = "any"}`, "%a",
				"tensor<4xf32>", "tensor<4xi32>"), want: problem{preflight.BadCall, "any", "", "",
				"operand 0 is tensor<4xf32> and its result is tensor<4xi32>"}, runs: true},
		"too few operands": {module: tap(`callback = "any", n_ids = 3 : i64`),
			want: problem{preflight.BadCall, "any", "", "", "has only 1 operands"}, runs: true},
		"too few results": {
			module: called(contract.TargetRuntimeCall,
				v4+`{v = 1 : i64, form = "call", callback = "any", n_tokens = 1 : i64}`, "%t", "tensor<i8>", "()"),
			want: problem{preflight.BadCall, "any", "", "", "has 0 results, fewer than its 1 tokens"}, runs: true},
	} {
		t.Run(name, func(t *testing.T) {
			err := preflight.Check(parse(t, test.module), preflight.Options{File: "m.mlir"})
			xla := compile(t, test.module, engine.CompileOptions{})
			if (err != nil) != (xla != nil) && !test.runs {
				t.Errorf("Check returned %v, but XLA returned %v", err, xla)
			}
			if test.want.Text == "" {
				check.Report(t, err)
				return
			}
			found, ok := errors.AsType[*preflight.Error](err)
			if !ok || len(found.Problems) != 1 {
				t.Fatalf("got %v, want one problem", err)
			}
			p := found.Problems[0]
			if !strings.Contains(p.String(), test.want.Text) {
				t.Errorf("got %q, want it to have %q", p, test.want.Text)
			}
			if d := cmp.Diff(test.want, problem{p.Kind, p.Callback, p.Registry, p.Nearest, test.want.Text}); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if p.Position.Line != 2 || p.Operation.Name() != "stablehlo.custom_call" {
				t.Errorf("the problem has the position %v, %s", p.Position, p.Operation.Name())
			}
		})
	}
}

// All problems are in one error, in the order of the module, and errors.As finds the errors
// of package callbacks.
func TestAll(t *testing.T) {
	registered(t)
	m := parse(t, `module {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @one(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = func.call @inner(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @two(%1) {api_version = 4 : i32, backend_config = {}} : (tensor<4xf32>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
  }
  func.func private @inner(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @calliope_io_callback(%a) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "passthrough", callback = "absent"}} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`)
	err := preflight.Check(m, preflight.Options{File: "m.mlir", Handlers: []string{"two"}})
	unknown, ok := errors.AsType[*callbacks.UnknownError](err)
	if !ok || unknown.Callback != "absent" {
		t.Errorf("errors.As finds %v", unknown)
	}
	const want = `preflight: these operations of the module cannot be served:
  m.mlir:3:10: no handler is registered for the target "one": rewrite the call, which is not of the typed FFI, with passes.ReplaceLegacy
  m.mlir:9:10: callbacks: callback "absent" is not registered in the default registry: register it before the module is compiled, and until its executable is closed`
	if d := cmp.Diff(want, fmt.Sprint(err)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	err = preflight.Check(m, preflight.Options{Handlers: []string{"one", "two"}})
	if p := err.(*preflight.Error).Problems[0]; p.Kind != preflight.WrongVersion {
		t.Errorf("an untyped call of a typed handler is %v: %v", p.Kind, p)
	}
	err = preflight.Check(m, preflight.Options{Targets: []string{"two"}, Handlers: []string{"calliope_io_callback"}})
	var kinds []preflight.Kind
	for _, p := range err.(*preflight.Error).Problems {
		kinds = append(kinds, p.Kind)
	}
	if d := cmp.Diff([]preflight.Kind{preflight.MissingTarget, preflight.BadCall}, kinds); d != "" {
		t.Errorf("with other targets (-want +got):\n%s", d)
	}
}

// Calls that XLA removes are not checked; the test compares with XLA.
func TestDropped(t *testing.T) {
	const absent = `stablehlo.custom_call @absent(%a) : (tensor<4xf32>) -> tensor<4xf32>`
	for name, test := range map[string]struct {
		body string
		want bool
	}{
		"unused": {"%r = " + absent, false},
		"used by the dead": {"%r = " + absent +
			" %s = stablehlo.add %r, %r : tensor<4xf32> %u = stablehlo.negate %s : tensor<4xf32>", false},
		"side effect":    {`stablehlo.custom_call @absent(%a) {has_side_effect = true} : (tensor<4xf32>) -> ()`, true},
		"used by a call": {"%r = " + absent + ` stablehlo.custom_call @calliope_io_callback(%r) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "observe", callback = "x", optional = true}} : (tensor<4xf32>) -> ()`, true},
		"in a loop": {`%c = stablehlo.constant dense<1> : tensor<i32>
  %w:2 = stablehlo.while(%i = %c, %x = %a) : tensor<i32>, tensor<4xf32>
    cond { %t = stablehlo.compare EQ, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1> stablehlo.return %t : tensor<i1> }
    do { %y = stablehlo.custom_call @absent(%x) : (tensor<4xf32>) -> tensor<4xf32> stablehlo.return %i, %y : tensor<i32>, tensor<4xf32> }
  return %w#1 : tensor<4xf32> }
  func.func private @tail(%a: tensor<4xf32>) -> tensor<4xf32> {`, true},
		"never called": {`return %a : tensor<4xf32> } func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> { %r = ` + absent + ` return %r : tensor<4xf32> }
  func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> { %r = func.call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>`, false},
		"called": {`%r = func.call @f(%a) : (tensor<4xf32>) -> tensor<4xf32> return %r : tensor<4xf32> } func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> { %r = ` + absent + ` return %r : tensor<4xf32> }
  func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> {`, true},
	} {
		t.Run(name, func(t *testing.T) {
			module := "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n" + test.body +
				"\nreturn %a : tensor<4xf32>\n}"
			err := preflight.Check(parse(t, module), preflight.Options{})
			xla := compile(t, module, engine.CompileOptions{})
			if (err != nil) != test.want || (xla != nil) != test.want {
				t.Errorf("Check returned %v, but XLA returned %v", err, xla)
			}
		})
	}
}

// If many calls lead to one long chain, the chain is visited once. Visiting it for each call
// would take many times as long.
func TestManyCalls(t *testing.T) {
	const n = 2000
	for name, test := range map[string]struct {
		result string
		want   int
	}{"needed": {"%s2000", n}, "dropped": {"%a", 0}} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %s0 = stablehlo.add %a, %a : tensor<4xf32>\n")
			for i := range n {
				fmt.Fprintf(&b, "  %%c%d = stablehlo.custom_call @absent(%%a) : (tensor<4xf32>) -> tensor<4xf32>\n", i)
			}
			for i := range n {
				fmt.Fprintf(&b, "  %%s%d = stablehlo.add %%s%d, %%c%d : tensor<4xf32>\n", i+1, i, i)
			}
			fmt.Fprintf(&b, "  return %s : tensor<4xf32>\n}", test.result)
			got := 0
			if found,
				ok := errors.AsType[*preflight.Error](preflight.Check(parse(t, b.String()), preflight.Options{})); ok {
				got = len(found.Problems)
			}
			if got != test.want {
				t.Errorf("%d calls are missing, want %d", got, test.want)
			}
		})
	}
}

// Check finds exactly the problems of the modules of the corpus.
func TestCorpus(t *testing.T) {
	check.NoRaces(t)
	const folder = "../../tests/testdata/modules"
	for name, want := range map[string][]string{
		"mlp_forward.mlir":              nil,
		"sort_topk.mlir":                nil,
		"jit_named_sharding_gspmd.mlir": nil,
		"cb_io_ordered.mlir":            slices.Repeat([]string{"xla_ffi_python_cpu_callback"}, 5),
		"cb_vmap_pytree.mlir":           slices.Repeat([]string{"xla_ffi_python_cpu_callback"}, 3),
		"ffi_call_typed.mlir":           {"host_axpy", "host_stats"},
		"ffi_call_legacy_v1_v2.mlir":    {"legacy_scale", "legacy_orig"},
		"exla_host_callback_hooks.mlir": {"exla_runtime_callback", "exla_runtime_callback"},
		"cb_pure.mlir":                  {"xla_ffi_python_cpu_callback"},
		"cholesky_solve.mlir":           {"lapack_spotrf_ffi", "lapack_strsm_ffi"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(folder, name))
			check.NoError(t, err)
			var got []string
			if found, ok := errors.AsType[*preflight.Error](
				preflight.Check(parse(t, string(text)), preflight.Options{})); ok {
				for _, p := range found.Problems {
					got = append(got, p.Target)
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestKind(t *testing.T) {
	for kind, want := range map[preflight.Kind]string{preflight.MissingTarget: "missing target",
		preflight.BadCall: "bad call", -1: "Kind(-1)", 99: "Kind(99)"} {
		if kind.String() != want {
			t.Errorf("%d is %q, want %q", int(kind), kind, want)
		}
	}
}

// Check reports Go types of a function that differ from the module's.
func TestGoTypes(t *testing.T) {
	r, err := callbacks.NewRegistry("typed", callbacks.RegistryOptions{})
	check.NoError(t, err)
	t.Cleanup(func() { _ = r.Close() })
	type array = tensor.Array[float32]
	if err := errors.Join(
		callbacks.RegisterCall(r, "call", func(_ context.Context, a array) (array, error) { return a, nil },
			callbacks.Options{}),
		callbacks.RegisterTap(r, "tap", func(context.Context, []array) error { return nil }, callbacks.Options{}),
		r.Register("made", callbacks.Tap(func(context.Context, array) error { return nil }),
			callbacks.Options{Static: []any{1}}),
	); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		form                           contract.Form
		callback, operand, typ, result string
		want                           string // "" if there is no problem
	}{
		"call": {contract.Call, "call", "%a", "tensor<4xf32>", "tensor<4xf32>", ""},
		"element type": {contract.Call, "call", "%b", "tensor<i32>", "tensor<i32>",
			"argument 0: takes any f32 array, given s32[]  <- differs"},
		"result": {contract.Call, "call", "%a", "tensor<4xf32>", "tensor<i32>",
			"result 0: expected s32[], returns any f32 array  <- differs"},
		"tap":           {contract.Observe, "tap", "%a", "tensor<4xf32>", "()", ""},
		"tap of others": {contract.Observe, "tap", "%i", "tensor<i64>", "()", "[0]: takes any f32 array, given s64[]"},
		"tap, called": {contract.Call, "tap", "%a", "tensor<4xf32>", "tensor<4xf32>",
			"returns 0 results, the module expects 1"},
		"with static": {contract.Observe, "made", "%b", "tensor<i32>", "()", "takes any f32 array, given s32[]"},
	} {
		t.Run(name, func(t *testing.T) {
			m := called(test.form.Target(), fmt.Sprintf("api_version = 4 : i32, backend_config = {v = 1 : i64, form = %q, registry = \"typed\", callback = %q}", test.form, test.callback),
				test.operand, test.typ, test.result)
			err := preflight.Check(parse(t, m), preflight.Options{})
			if test.want == "" {
				check.Report(t, err)
				return
			}
			wrong, ok := errors.AsType[*callbacks.TemplateError](err)
			if !ok || !wrong.Declared || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if p := err.(*preflight.Error).Problems[0]; p.Kind != preflight.WrongSignature || p.Position.Line != 2 {
				t.Errorf("it is a %s at %s", p.Kind, p.Position)
			}
		})
	}
}

// The same problem of many calls is one line.
func TestRepeatedLines(t *testing.T) {
	var b strings.Builder
	b.WriteString("func.func @main(%a: tensor<4xf32>) {\n")
	for i := range 124 {
		target := "absent"
		if i == 1 || i == 3 {
			target = "other"
		}
		fmt.Fprintf(&b, "  stablehlo.custom_call @%s(%%a) {has_side_effect = true} : (tensor<4xf32>) -> ()\n", target)
	}
	b.WriteString("  return\n}")
	err := preflight.Check(parse(t, b.String()), preflight.Options{File: "m.mlir"})
	want := `preflight: these operations of the module cannot be served:
  m.mlir:2:3: no handler is registered for the target "absent": rewrite the call, which is not of the typed FFI, with passes.ReplaceLegacy (and 121 more, at m.mlir:4:3, m.mlir:6:3, m.mlir:7:3, …)
  m.mlir:3:3: no handler is registered for the target "other": rewrite the call, which is not of the typed FFI, with passes.ReplaceLegacy (and 1 more, at m.mlir:5:3)`
	if d := cmp.Diff(want, fmt.Sprint(err)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if n := len(err.(*preflight.Error).Problems); n != 124 {
		t.Errorf("%d problems are listed, want all 124", n)
	}
}

// In a module that devices share, XLA refuses a call with side effects, unless it is in a manual
// computation.
func TestCheckDevices(t *testing.T) {
	registered(t)
	const tapped = `stablehlo.custom_call @calliope_io_callback(%a) {has_side_effect = true, api_version = 4 : i32,
      backend_config = {v = 1 : i64, form = "passthrough", callback = "any"}} : (tensor<4xf32>) -> tensor<4xf32>`
	inside := `sdy.mesh @mesh = <["x"=2]>
func.func @main(%b: tensor<8xf32>) -> tensor<8xf32> {
  %m = sdy.manual_computation(%b) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%a: tensor<4xf32>) {
    %0 = ` + tapped + `
    sdy.return %0 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %m : tensor<8xf32>
}`
	outside := "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = " + tapped +
		"\n  return %0 : tensor<4xf32>\n}"
	maximal := "sdy.mesh @one = <[], device_ids=[1]>\n" +
		strings.Replace(outside, "has_side", "sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>, has_side", 1)
	o := preflight.Options{Partitions: 2}
	for _, test := range []struct {
		text string
		want []preflight.Kind
	}{{inside, nil}, {maximal, []preflight.Kind{preflight.BadDevices}}, {outside, []preflight.Kind{
		preflight.BadDevices}}, {strings.Replace(outside, "effect = true", "effect = false", 1), nil}} {
		var got []preflight.Kind
		err := preflight.Check(parse(t, test.text), o)
		if e, ok := errors.AsType[*preflight.Error](err); ok {
			for _, p := range e.Problems {
				got = append(got, p.Kind)
			}
			check.Error(t, err, "has side effects, and is not in a manual computation", "passes.ApplyPolicies")
		}
		check.Diff(t, "problems", test.want, got)
		check.NoError(t, preflight.Check(parse(t, outside), preflight.Options{}))
		err = compile(t, test.text, engine.CompileOptions{Partitions: 2})
		check.Diff(t, "XLA compiles it", test.want == nil, err == nil)
	}
}
