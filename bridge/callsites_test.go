package bridge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/bridge/internal/hlo"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
	"github.com/calliope-mlir/calliope/internal/run/ffi/serve"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/text/words"
)

// registerAll binds a function that does nothing to each name.
func registerAll(t *testing.T, r *callbacks.Registry, names ...string) {
	t.Helper()
	for _, name := range names {
		check.NoError(t, r.Register(name, func(*callbacks.Frame) error { return nil }, callbacks.Options{}))
		t.Cleanup(func() { _ = r.Unregister(name) })
	}
}

// nestedCalls has calls in a loop's condition and body, in branches, and in a function that
// is called twice.
func nestedCalls(odd string) string {
	const typ = "tensor<f32>"
	call := func(name, x string) string {
		return custom(contract.Call, fmt.Sprintf("callback = %q", name), x, typ, typ)
	}
	return `module {
 func.func @g(%x: tensor<f32>) -> tensor<f32> {
  %y = ` + call("sites.c", "%x") + `
  return %y : tensor<f32>
 }
 func.func @main(%x: tensor<f32>, %p: tensor<i1>) -> (tensor<f32>, tensor<f32>) {
  %a = ` + call("sites.a", "%x") + `
  %w = stablehlo.while(%i = %a) : tensor<f32> cond {
   %z = ` + call("sites.d", "%i") + `
   %k = stablehlo.compare LT, %i, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
   stablehlo.return %k : tensor<i1>
  } do {
   %z = func.call @g(%i) : (tensor<f32>) -> tensor<f32>
   stablehlo.return %z : tensor<f32>
  }
  %q = func.call @g(%x) : (tensor<f32>) -> tensor<f32>
  %b = ` + custom(contract.Call, `callback = "`+odd+`", optional = true`, "%w", typ, typ) + `
  %r = "stablehlo.if"(%p) ({
   %z = ` + call("sites.d", "%b") + `
   stablehlo.return %z : tensor<f32>
  }, {
   %z = ` + call("sites.a", "%b") + `
   stablehlo.return %z : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %r, %q : tensor<f32>, tensor<f32>
 }
}`
}

// The calls are those that XLA instantiates, in that order, once for all devices.
func TestCallbacksAsInstantiated(t *testing.T) {
	registerAll(t, callbacks.Default, "sites.a", "sites.c", "sites.d")
	c := testClient(t)
	module := nestedCalls(`b\"\\\n\01é{=,}`)
	for _, replicas := range []int{1, 2} {
		var instantiated []string
		ffi.SetInstantiate(func(attrs []contract.Attr, hosted bool) (ffi.Site, int32, error) {
			for _, a := range attrs {
				if a.Key == "callback" {
					instantiated = append(instantiated, a.Value.(string))
				}
			}
			return serve.Instantiate(attrs, hosted)
		})
		e := compile(t, c, module, engine.CompileOptions{Replicas: replicas})
		ffi.SetInstantiate(serve.Instantiate)
		var names []string
		for _, s := range e.Callbacks() {
			names = append(names, s.Name)
			check.Diff(t, "signature of "+s.Name, "f32[]->f32[]", s.Signature)
		}
		check.Diff(t, fmt.Sprint(replicas, " replicas"), instantiated, names)
		check.Diff(t, "number of calls", 7, len(names))
	}
}

func TestCallbacks(t *testing.T) {
	registry, err := callbacks.NewRegistry("sites", callbacks.RegistryOptions{})
	check.NoError(t, err)
	check.Cleanup(t, registry)
	registerAll(t, registry, "tap", "pass")
	registerAll(t, callbacks.Default, "sites.call", "sites.pure")
	id, err := callbacks.Default.RegisterFunc(func(*callbacks.Frame) error { return nil }, callbacks.Options{})
	check.NoError(t, err)
	t.Cleanup(func() { _ = callbacks.Default.UnregisterID(id) })
	opaque := "an opaque id"
	if err := callbacks.RegisterOpaque(callbacks.OpaqueID{ID: opaque}, func(*callbacks.Frame) error { return nil },
		callbacks.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = callbacks.UnregisterOpaque(callbacks.OpaqueID{ID: opaque}) })

	const vector, token = "tensor<2x3xf32>", "tensor<1xi8>"
	signature := contract.SignatureHash("f32[2,3]->s32[]")
	words := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(words.Pack(opaque))), ", "), "[]")
	body := strings.Join([]string{
		"%id = stablehlo.replica_id : tensor<ui32>",
		"%zero = stablehlo.constant dense<0> : " + token,
		"%pass = " + custom(contract.Passthrough, `callback = "pass", registry = "sites"`, "%x", vector, vector),
		"%call:2 = " + custom(contract.Call, `callback = "sites.call", signature = "`+signature+
			`", n_ids = 1 : i64, n_tokens = 1 : i64, effect = "log", loc = "a.go:7"`,
			"%pass, %id, %zero", vector+", tensor<ui32>, "+token, "(tensor<i32>, "+token+")"),
		"%tap = " +
			custom(contract.Observe, `callback = "tap", registry = "sites", every = 5 : i64, n_tokens = 1 : i64`,
				"%pass, %call#1", vector+", "+token, token),
		"%pure = " + custom(contract.Pure, `callback = "sites.pure"`, "%pass", vector, vector),
		"%unused = " + custom(contract.Pure, `callback = "sites.pure"`, "%x", vector, vector),
		"%numbered = " +
			custom(contract.Call, fmt.Sprintf("callback_id = %d : i64", id), "%pure", vector, "tensor<i1>"),
		fmt.Sprintf(
			`%%words = stablehlo.custom_call @exla_runtime_callback(%%pure) {api_version = 4 : i32, has_side_effect = true,
			backend_config = {callback_id = array<i64: %s>, callback_id_size = %d : ui64}} : (%s) -> tensor<i1>`, words, len(opaque), vector),
		fmt.Sprintf(
			`%%server = stablehlo.custom_call @exla_runtime_callback(%%s, %%pure) {api_version = 4 : i32, has_side_effect = true,
			backend_config = {callback_id = array<i64: %s>, callback_id_size = %d : ui64, num_aliased_data_outputs = 0 : ui64}} : (tensor<4xui8>, %s) -> tensor<i1>`, words, len(opaque), vector),
		`%operand = stablehlo.custom_call @exla_elixir_callback(%pure, %n) {api_version = 4 : i32, has_side_effect = true} : (` + vector + `, tensor<i64>) -> tensor<i1>`,
		"return %call#0, %tap : tensor<i32>, " + token,
	}, "\n")
	e := compile(t, testClient(t),
		mainFunc("%x: "+vector+", %s: tensor<4xui8>, %n: tensor<i64>", "tensor<i32>, "+token, body),
		engine.CompileOptions{})
	got := map[string]CallSite{}
	for _, s := range e.Callbacks() {
		key := s.Config.Host.Encoding.String() + " " + s.Name
		if _, twice := got[key]; twice {
			t.Errorf("%s occurs twice", key)
		}
		got[key] = s
	}
	opaqueName := contract.Config{Host: contract.Host{Opaque: opaque}}.Name()
	idName := fmt.Sprintf("id %d", id)
	want := map[string]CallSite{}
	for _, s := range []CallSite{
		{Name: "pass", Registry: "sites", Form: contract.Passthrough, Signature: "f32[2,3]->f32[2,3]",
			Target: "calliope_io_callback", Config: contract.Config{Callback: "pass"}},
		{
			Name: "sites.call", Form: contract.Call, Signature: "f32[2,3]->s32[]", Effect: "log",
			Target: "calliope_runtime_call",
			Config: contract.Config{Callback: "sites.call", Signature: signature, NumIDs: 1, NumTokens: 1,
				Loc: "a.go:7"},
		},
		{Name: "tap", Registry: "sites", Form: contract.Observe, Signature: "f32[2,3]->",
			Target: "calliope_io_callback", Config: contract.Config{Callback: "tap", Every: 5, NumTokens: 1}},
		{Name: "sites.pure", Form: contract.Pure, Signature: "f32[2,3]->f32[2,3]", Target: "calliope_runtime_call",
			Config: contract.Config{Callback: "sites.pure"}},
		{Name: idName, Form: contract.Call, Signature: "f32[2,3]->pred[]", Target: "calliope_runtime_call",
			Config: contract.Config{ID: id}},
		{Name: opaqueName, Form: contract.Call, Signature: "f32[2,3]->pred[]", Target: "exla_runtime_callback",
			Config: contract.Config{Host: contract.Host{Opaque: opaque, Encoding: contract.EncodingWords}}},
		{Name: opaqueName, Form: contract.Call, Signature: "f32[2,3]->pred[]", Target: "exla_runtime_callback",
			Config: contract.Config{Host: contract.Host{Opaque: opaque, Encoding: contract.EncodingServer}}},
		{Form: contract.Call, Signature: "f32[2,3]->pred[]", Target: "exla_elixir_callback",
			Config: contract.Config{Host: contract.Host{Encoding: contract.EncodingOperand}}},
	} {
		s.Config.Form, s.Config.Registry, s.Config.Effect = s.Form, s.Registry, s.Effect
		want[s.Config.Host.Encoding.String()+" "+s.Name] = s
	}
	check.Diff(t, "calls", want, got)

	program := e.xla.Program
	for n := 0; n < len(program); n += 7 { // a cut program is not read beyond its end
		hlo.Calls(program[:n], e.client.plugin.served())
	}
	check.Diff(t, "no program", 0, len(hlo.Calls(nil, nil)))
}
