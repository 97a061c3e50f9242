package bridge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/bridge/internal/saved"
	"github.com/calliope-mlir/calliope/bridge/internal/xla"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/text/words"
	"github.com/calliope-mlir/calliope/tensor"
)

func serialize(t testing.TB, e *Executable) []byte {
	t.Helper()
	data, err := e.Serialize()
	check.NoError(t, err)
	return data
}

func loaded(t testing.TB, c *Client, data []byte) *Executable {
	t.Helper()
	e, err := c.Load(t.Context(), data)
	check.NoError(t, err)
	t.Cleanup(func() { check.NoError(t, e.Close()) })
	return e
}

// savedTarget is a target that is not one of the contract.
const savedTarget = "saved_foreign_target"

// savedModule calls Go in every form and by every way that names allow, with a value that is
// large enough for XLA's own threads, in a loop, and with a donated parameter.
func savedModule() string {
	const vector, token = "tensor<4096xf32>", "tensor<1xi8>"
	opaque := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(words.Pack("saved opaque"))), ", "), "[]")
	foreign := strings.Replace(custom(contract.Call, `callback = "saved.inline"`, "%pass", vector, vector),
		contract.TargetRuntimeCall, savedTarget, 1)
	return mainFunc("%x: "+vector+" {tf.aliasing_output = 0 : i32}, %y: tensor<2x3xi32>",
		vector+", tensor<2x3xi32>, "+token, strings.Join([]string{
			"%c = stablehlo.cosine %x : " + vector,
			"%zero = stablehlo.constant dense<0> : " + token,
			"%id = stablehlo.constant dense<7> : tensor<ui32>",
			"%pass = " + custom(contract.Passthrough, named("saved.pass", "f32[4096]->f32[4096]")+
				`, registry = "saved", effect = "log"`, "%c", vector, vector),
			"%foreign = " + foreign,
			"%goroutine = " +
				custom(contract.Call, named("saved.goroutine", "f32[4096]->f32[4096]"), "%foreign", vector, vector),
			"%deferred = " +
				custom(contract.Pure, named("saved.deferred", "f32[4096]->f32[4096]"), "%goroutine", vector, vector),
			"%tap = " +
				custom(contract.Observe, `callback = "saved.tap", n_ids = 1 : i64, n_tokens = 1 : i64, every = 2 : i64`,
					"%deferred, %id, %zero", vector+", tensor<ui32>, "+token, token),
			"%optional = " + custom(contract.Passthrough, `callback = "saved.optional", optional = true`, "%deferred",
				vector, vector),
			fmt.Sprintf(
				`%%words = stablehlo.custom_call @exla_runtime_callback(%%optional) {api_version = 4 : i32, has_side_effect = true,
			backend_config = {callback_id = array<i64: %s>, callback_id_size = %d : ui64}} : (%s) -> %s`, opaque, len("saved opaque"), vector, vector),
			"%n = stablehlo.constant dense<0> : tensor<i32>",
			"%three = stablehlo.constant dense<3> : tensor<i32>",
			"%one = stablehlo.constant dense<1> : tensor<i32>",
			"%loop:2 = stablehlo.while(%i = %n, %v = %words) : tensor<i32>, " + vector,
			"cond { %k = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>",
			"stablehlo.return %k : tensor<i1> }",
			"do { %w = " + custom(contract.Call, `callback = "saved.inline"`, "%v", vector, vector),
			"%j = stablehlo.add %i, %one : tensor<i32>",
			"stablehlo.return %j, %w : tensor<i32>, " + vector + " }",
			"%z = stablehlo.add %y, %y : tensor<2x3xi32>",
			"return %loop#1, %z, %tap : " + vector + ", tensor<2x3xi32>, " + token,
		}, "\n"))
}

// bindSaved registers what savedModule calls. It returns the names of the functions that were
// called.
func bindSaved(t *testing.T) (calls func() map[string]int) {
	t.Helper()
	var mu sync.Mutex
	counts := map[string]int{}
	function := func(name string, add float32) callbacks.Func {
		return func(f *callbacks.Frame) error {
			mu.Lock()
			counts[name]++
			mu.Unlock()
			for i, r := range f.Results {
				in, err := tensor.Slice[float32](f.Args[i])
				if err != nil {
					return err
				}
				out, err := tensor.Slice[float32](r)
				if err != nil {
					return err
				}
				for i, v := range in {
					out[i] = v + add
				}
			}
			return nil
		}
	}
	registry, err := callbacks.NewRegistry("saved", callbacks.RegistryOptions{})
	check.NoError(t, err)
	check.Cleanup(t, registry)
	const signature = "f32[4096]->f32[4096]"
	bind := func(r *callbacks.Registry, name string, add float32, o callbacks.Options) {
		check.NoError(t, r.Register(name, function(name, add), o))
		t.Cleanup(func() { _ = r.Unregister(name) })
	}
	bind(registry, "saved.pass", 1, callbacks.Options{Signature: signature})
	bind(callbacks.Default, "saved.inline", 2, callbacks.Options{})
	bind(callbacks.Default, "saved.goroutine", 4,
		callbacks.Options{Signature: signature, Dispatch: callbacks.Goroutine})
	bind(callbacks.Default, "saved.deferred", 8, callbacks.Options{Signature: signature, Dispatch: callbacks.Deferred})
	bind(callbacks.Default, "saved.tap", 0, callbacks.Options{Dispatch: callbacks.Async})
	id := callbacks.OpaqueID{ID: "saved opaque"}
	check.NoError(t, callbacks.RegisterOpaque(id, function("opaque", 16), callbacks.Options{}))
	t.Cleanup(func() { _ = callbacks.UnregisterOpaque(id) })
	return func() map[string]int {
		mu.Lock()
		defer mu.Unlock()
		all := counts
		counts = map[string]int{}
		return all
	}
}

// runSaved runs savedModule and checks what it returns and calls.
func runSaved(t *testing.T, c *Client, e *Executable, calls func() map[string]int) {
	t.Helper()
	for range 2 {
		x, err := c.ArrayFromHost(t.Context(), view(t, make([]float32, 4096), 4096), 1)
		check.NoError(t, err)
		y, err := c.ArrayFromHost(t.Context(), view(t, []int32{1, 2, 3, 4, 5, 6}, 2, 3), 1)
		check.NoError(t, err)
		out, err := e.Run(t.Context(), engine.Donate(x), y)
		check.NoError(t, err)
		check.NoError(t, y.Close())
		check.Diff(t, "device", 1, out[0].Device())
		check.Diff(t, "result", float32(1+1+2+4+8+16+3*2), host[float32](t, out[0])[4095])
		check.Diff(t, "integers", []int32{2, 4, 6, 8, 10, 12}, host[int32](t, out[1]))
		check.NoError(t, out[2].Close())
		check.NoError(t, c.Barrier(t.Context(), "saved"))
	}
	// Each second call of the tap is made.
	check.Diff(t, "calls", map[string]int{"saved.pass": 2, "saved.inline": 8, "saved.goroutine": 2, "saved.deferred": 2,
		"saved.tap": 1, "opaque": 2}, calls())
}

// A loaded executable is the same as the compiled one.
func TestSaveAndLoad(t *testing.T) {
	check.NoError(t, testPlugin(t).registerTarget(savedTarget))
	c := testClient(t)
	calls := bindSaved(t)
	compiled := compile(t, c, savedModule(), engine.CompileOptions{})
	data := serialize(t, compiled)
	e2 := loaded(t, c, data)
	for _, e := range []*Executable{compiled, e2} {
		runSaved(t, c, e, calls)
	}
	again := loaded(t, c, serialize(t, e2))
	runSaved(t, c, again, calls)
	for what, get := range map[string]func(e *Executable) any{
		"name":      func(e *Executable) any { return e.name() },
		"inputs":    func(e *Executable) any { return e.Inputs() },
		"outputs":   func(e *Executable) any { return e.Outputs() },
		"callbacks": func(e *Executable) any { return e.Callbacks() },
		"devices":   func(e *Executable) any { return e.NumDevices() },
		"results":   func(e *Executable) any { return e.NumOutputs() },
		"cached":    func(e *Executable) any { return e.Cached() },
	} {
		check.Diff(t, what, get(compiled), get(e2))
		check.Diff(t, what+", saved twice", get(compiled), get(again))
	}
	check.Diff(t, "number of calls", 8, len(e2.Callbacks()))

	// Inputs are checked.
	_, err := e2.Run(t.Context(), view(t, []float32{1}, 1), view(t, make([]int32, 6), 2, 3))
	check.As[*engine.InputError](t, err)

	// The context can end while XLA loads, and the error of a run is the callback's.
	ctx, cancel := context.WithCancel(t.Context())
	e, err := c.Load(ctx, data)
	check.NoError(t, err)
	check.NoError(t, e.Close())
	cancel()
	if _, err := c.Load(ctx, data); err != context.Canceled {
		t.Errorf("got %v", err)
	}
	if _, err := e.Serialize(); err == nil || !strings.Contains(err.Error(), "executable is closed") {
		t.Errorf("got %v", err)
	}
}

// The options of the compile are saved.
func TestSaveWithDevices(t *testing.T) {
	name := register(t, "", func(f *callbacks.Frame) error { copy(f.Results[0].Data, f.Args[0].Data); return nil })
	c := testClient(t)
	const partitioned = `module {
 sdy.mesh @mesh = <["d"=2]>
 func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}]>}) -> tensor<4xf32> {
  %y = stablehlo.negate %x : tensor<4xf32>
  return %y : tensor<4xf32>
 }
}`
	one, err := testPlugin(t).NewClient(ClientOptions{Devices: 1})
	check.NoError(t, err)
	check.Cleanup(t, one)
	for _, test := range []struct {
		module  string
		options engine.CompileOptions
		size    int
	}{
		{addResult(name, "tensor<2xf32>"), engine.CompileOptions{Replicas: 2}, 2},
		{partitioned, engine.CompileOptions{Partitions: 2}, 2},
	} {
		compiled := compile(t, c, test.module, test.options)
		data := serialize(t, compiled)
		e2 := loaded(t, c, data)
		check.Diff(t, "devices", compiled.devices, e2.devices)
		var results [2][][]float32
		for i, e := range []*Executable{compiled, e2} {
			in := view(t, make([]float32, test.size), test.size)
			out, err := e.Run(t.Context(), in, in)
			check.NoError(t, err)
			for _, o := range out {
				results[i] = append(results[i], host[float32](t, o))
			}
		}
		check.Diff(t, "results", results[0], results[1])
		_, err := one.Load(t.Context(), data)
		check.Error(t, err, "bridge: Load: the options need 2 devices, but the client has 1")
	}
	check.Diff(t, "held", ClientStats{}, one.Stats())
}

// Flags are compiled in: without the default, a NaN is dropped.
func TestSaveWithFlags(t *testing.T) {
	c := testClient(t)
	module := mainFunc("%x: tensor<2xf32>, %y: tensor<2xf32>", "tensor<2xf32>",
		"%z = stablehlo.maximum %x, %y : tensor<2xf32>\nreturn %z : tensor<2xf32>")
	e2 := loaded(t, c, serialize(t, compile(t, c, module, engine.CompileOptions{OptimizationLevel: 1})))
	nan := float32(0)
	nan /= nan
	out, err := e2.Run(t.Context(), view(t, []float32{nan, 1}, 2), view(t, []float32{1, nan}, 2))
	check.NoError(t, err)
	for _, v := range host[float32](t, out[0]) {
		if v == v {
			t.Errorf("got %v, want NaN", v)
		}
	}
}

// reseal returns a saved program with a changed header and the right checksum.
func reseal(t *testing.T, data []byte, change func(*saved.Header)) []byte {
	t.Helper()
	h, payload, err := saved.Unseal(data)
	check.NoError(t, err)
	change(&h)
	data, err = saved.Seal(h, payload)
	check.NoError(t, err)
	return data
}

// What was not saved here, or is damaged, is refused before XLA reads it.
func TestLoadRefused(t *testing.T) {
	c := testClient(t)
	data := serialize(t, compile(t, c, negation, engine.CompileOptions{}))
	loaded(t, c, data)
	flip := func(i int) []byte {
		changed := bytes.Clone(data)
		changed[i] ^= 1 << (i % 8)
		return changed
	}
	version := bytes.Clone(data)
	binary.LittleEndian.PutUint32(version[8:], saved.Version+1)
	header, payload, err := saved.Unseal(data)
	check.NoError(t, err)
	type test struct {
		name   string
		data   []byte
		reason string
		text   string
	}
	tests := []test{
		{"nothing", nil, NotSaved, "not a saved program"},
		{"a module", []byte(negation), NotSaved, "give what Executable.Serialize returned"},
		{"part of the magic", data[:5], NotSaved, ""},
		{"flipped magic", flip(0), NotSaved, ""},
		{"the magic", data[:8], saved.Damaged, "got 8 bytes"},
		{"a version", data[:12], saved.Damaged, "want at least 56 bytes, got 12 bytes"},
		{"another version", version, saved.Format,
			"has format 2, but this release reads format 1: compile the module again"},
		{"no header", data[:saved.Prefix], saved.Damaged, "got 0 bytes in all"},
		{"cut header", data[:saved.Prefix+20], saved.Damaged, ""},
		{"cut payload", data[:len(data)-1], saved.Damaged, ""},
		{"longer", append(bytes.Clone(data), 0), saved.Damaged, ""},
		{"flipped size of the header", flip(12), saved.Damaged, ""},
		{"flipped size of the payload", flip(17), saved.Damaged, ""},
		{"flipped checksum", flip(30), saved.Damaged, "a header with sha256"},
		{"flipped header", flip(saved.Prefix + 3), saved.Damaged, "a header with sha256"},
		{"program beyond the payload", reseal(t, data, func(h *saved.Header) { h.Compressed = len(data) }),
			saved.Damaged, "a program of "},
		{"negative size", reseal(t, data, func(h *saved.Header) { h.Compressed = -1 }), saved.Damaged, "a program of "},
		{"shorter program", reseal(t, data, func(h *saved.Header) { h.Size-- }), saved.Damaged, "a program of "},
		{"longer program", reseal(t, data, func(h *saved.Header) { h.Size = 1 << 31 }), saved.Damaged,
			fmt.Sprintf("a program of 2147483648 bytes in %d, got %d bytes", header.Compressed, len(payload))},
		{"more than any program", reseal(t, data, func(h *saved.Header) { h.Size = 1 << 60 }), saved.Damaged,
			"a program of 1152921504606846976 bytes"},
		{"cut program", reseal(t, data, func(h *saved.Header) { h.Compressed /= 2 }), saved.Damaged, "unexpected EOF"},
		{"another plugin", reseal(t, data, func(h *saved.Header) { h.Plugin = strings.Repeat("0", 64) }), saved.Plugin,
			"for another plugin: PJRT"},
		{"another version of the plugin", reseal(t, data, func(h *saved.Header) { h.Version = "PJRT 0.1" }),
			saved.Plugin, "PJRT 0.1, sha256 " + header.Plugin},
		{"another platform", reseal(t, data, func(h *saved.Header) { h.Platform = "cuda" }), saved.Platform,
			"cuda on " + header.System},
		{"another system", reseal(t, data, func(h *saved.Header) { h.System = "plan9/mips" }), saved.Platform,
			"cpu on plan9/mips"},
		{"more features", reseal(t, data, func(h *saved.Header) { h.Features = append(h.Features, "zz_new") }),
			saved.CPU, "another CPU, which has zz_new: compile"},
		{"fewer features", reseal(t, data, func(h *saved.Header) { h.Features = h.Features[1:] }), saved.CPU,
			"this one has " + header.Features[0]},
		{"another model", reseal(t, data, func(h *saved.Header) { h.CPU = "Cray" }), saved.CPU, "the model Cray"},
	}
	for at := saved.Prefix; at < len(data); at += max(1, len(data)/40) {
		tests = append(tests, test{fmt.Sprint("flipped bit ", at), flip(at), saved.Damaged, "compile the module again"})
		tests = append(tests, test{fmt.Sprint("cut at ", at), data[:at], saved.Damaged, "compile the module again"})
	}
	tests = append(tests, test{"flipped end", flip(len(data) - 1), saved.Damaged, "a payload with sha256"})
	for _, test := range tests {
		e, err := c.Load(t.Context(), test.data)
		if err == nil {
			t.Errorf("%s was loaded", test.name)
			e.Close()
			continue
		}
		check.Error(t, err, "bridge: Load: ", test.text)
		if got := check.As[*SavedError](t, err); got != nil {
			check.Diff(t, test.name, test.reason, got.Reason)
		}
	}

	// A header in other JSON, with a right checksum.
	bad := []byte(`{"plugin_sha256": 7}`)
	sum := sha256.Sum256(bad)
	sealed := append(bytes.Clone(data[:12]), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(sealed[12:], uint32(len(bad)))
	sealed = append(append(binary.LittleEndian.AppendUint64(sealed, 0), sum[:]...), bad...)
	_, err = c.Load(t.Context(), sealed)
	check.Error(t, err, "a header in JSON")
	check.Diff(t, "reason", saved.Damaged, check.As[*SavedError](t, err).Reason)

	closed, err := testPlugin(t).NewClient(ClientOptions{})
	check.NoError(t, err)
	check.NoError(t, closed.Close())
	_, err = closed.Load(t.Context(), data)
	check.Error(t, err, "bridge: Load: the client is closed")
}

// XLA's own error is a PluginError.
func TestLoadRefusedByXLA(t *testing.T) {
	c := testClient(t)
	h, err := c.savedHere()
	check.NoError(t, err)
	data, err := saved.File{Header: h, Code: []byte("no program")}.Encode()
	check.NoError(t, err)
	_, err = c.Load(t.Context(), data)
	check.Error(t, err, "bridge: load: ")
	check.As[*PluginError](t, err)
}

// A call that is bound by an id is named, and others are not refused.
func TestSerializeRefused(t *testing.T) {
	c := testClient(t)
	id, err := callbacks.Default.RegisterFunc(func(*callbacks.Frame) error { return nil }, callbacks.Options{})
	check.NoError(t, err)
	t.Cleanup(func() { _ = callbacks.Default.UnregisterID(id) })
	const typ = "tensor<2xf32>"
	for _, test := range []struct{ call, text string }{
		{
			custom(contract.Passthrough, fmt.Sprintf(`callback_id = %d : i64, loc = "main.go:7"`, id), "%x", typ, typ),
			fmt.Sprintf("the call of id %d (@calliope_io_callback, f32[2]->f32[2], at main.go:7) is bound by an id, which only this process has: bind the callback by a name", id),
		},
		{
			"stablehlo.custom_call @exla_elixir_callback(%x, %n) {api_version = 4 : i32, has_side_effect = true} : (" + typ + ", tensor<i64>) -> " + typ,
			"the call (@exla_elixir_callback, f32[2]->f32[2]) has its callback's id as an operand",
		},
	} {
		e := compile(t, c, mainFunc("%x: "+typ+", %n: tensor<i64>", typ, "%y = "+test.call+"\nreturn %y : "+typ),
			engine.CompileOptions{})
		data, err := e.Serialize()
		check.Error(t, err, "bridge: Serialize: ", test.text)
		refused := check.As[*UnsavableError](t, err)
		check.Diff(t, "call", e.Callbacks()[0], refused.Call)
		check.Diff(t, "data", 0, len(data))
	}
	unread := &UnsavableError{CallSite{Target: "t", Signature: "->"}}
	check.Error(t, unread, "the call (@t, ->) is bound by attributes that cannot be read")
}

// savedChild runs a test of this binary in a child process.
func savedChild(t *testing.T, test string, env ...string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+test+"$", "-test.v", "-test.timeout=60s")
	child.Env = append(os.Environ(), env...)
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+test) {
		t.Errorf("%v\n%s", err, out)
	}
}

const savedEnv = "CALLIOPE_TEST_SAVED"

// A program that this process compiled is loaded and run by another, which has registered the
// callbacks itself.
func TestLoadInAnotherProcess(t *testing.T) {
	if file := os.Getenv(savedEnv); file != "" {
		loadInAnotherProcess(t, file)
		return
	}
	check.NoError(t, testPlugin(t).registerTarget(savedTarget))
	c := testClient(t)
	calls := bindSaved(t)
	e := compile(t, c, savedModule(), engine.CompileOptions{})
	runSaved(t, c, e, calls)
	dir := t.TempDir()
	file := filepath.Join(dir, "program")
	check.NoError(t, os.WriteFile(file, serialize(t, e), 0o600))
	sites, err := json.Marshal(e.Callbacks())
	check.NoError(t, err)
	check.NoError(t, os.WriteFile(file+".sites", sites, 0o600))
	foreign := compile(t, c, savedForeign(), engine.CompileOptions{})
	check.NoError(t, os.WriteFile(file+".foreign", serialize(t, foreign), 0o600))
	savedChild(t, "TestLoadInAnotherProcess", savedEnv+"="+file)
}

// savedForeign calls a target that is not one of the contract.
func savedForeign() string {
	return strings.ReplaceAll(addResult("saved.inline", "tensor<4096xf32>"), contract.TargetRuntimeCall, savedTarget)
}

func loadInAnotherProcess(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	check.NoError(t, err)
	foreign, err := os.ReadFile(file + ".foreign")
	check.NoError(t, err)
	c := testClient(t)

	// Nothing is registered yet.
	fails := func(data []byte, module string, parts ...string) error {
		t.Helper()
		e, err := c.Load(t.Context(), data)
		if err == nil {
			_ = e.Close()
		}
		check.Error(t, err, parts...)
		_, atCompile := c.Compile(t.Context(), Source(module), engine.CompileOptions{})
		var loading, compiling *PluginError
		if !errors.As(err, &loading) || !errors.As(atCompile, &compiling) || loading.Code != compiling.Code {
			t.Errorf("loading: %v\ncompiling: %v", err, atCompile)
		}
		return err
	}
	fails(foreign, savedForeign(), savedTarget)
	check.NoError(t, testPlugin(t).registerTarget(savedTarget))
	err = fails(data, savedModule(), `registry "saved"`)
	check.As[*callbacks.UnknownError](t, err)

	calls := bindSaved(t)
	e := loaded(t, c, data)
	runSaved(t, c, e, calls)
	want, err := os.ReadFile(file + ".sites")
	check.NoError(t, err)
	var sites []CallSite
	check.NoError(t, json.Unmarshal(want, &sites))
	if got := e.Callbacks(); !reflect.DeepEqual(sites, got) {
		check.Diff(t, "callbacks", sites, got)
	}

	check.NoError(t, callbacks.Default.Unregister("saved.deferred"))
	unknown := check.As[*callbacks.UnknownError](t,
		fails(data, savedModule(), `callback "saved.deferred" is not registered`, "NOT_FOUND"))
	check.Diff(t, "missing", "saved.deferred", unknown.Callback)
	check.NoError(t, callbacks.Default.Register("saved.deferred", func(*callbacks.Frame) error { return nil },
		callbacks.Options{Signature: "f32[2]->f32[2]"}))
	fails(data, savedModule(), "saved.deferred", "f32[2]->f32[2]")
}

// Saved programs, and loads that fail or succeed, do not leak memory. The program has a
// constant of 256 KiB.
func TestSavingDoesNotGrow(t *testing.T) {
	check.NoRaces(t)
	name := register(t, "", func(*callbacks.Frame) error { return nil })
	const typ = "tensor<65536xf32>"
	bits := make([]byte, 4*65536)
	for i := range bits {
		bits[i] = byte(i * i >> 3)
	}
	c := testClient(t)
	e := compile(t, c, mainFunc("%x: "+typ, typ,
		fmt.Sprintf("%%k = stablehlo.constant dense<\"0x%x\"> : %s\n%%y = stablehlo.add %%x, %%k : %[2]s\n", bits, typ)+
			"%p = "+custom(contract.Call, fmt.Sprintf("callback = %q", name), "%y", typ, typ)+"\nreturn %p : "+typ),
		engine.CompileOptions{})
	if n := len(serialize(t, e)); n < len(bits) {
		t.Fatalf("the program has %d bytes, so this test shows nothing", n)
	}
	before, alive := 0, xla.ExecutablesAlive()
	for i := range 120 {
		if i == 20 {
			debug.FreeOSMemory()
			before = residentBytes(t)
		}
		data := serialize(t, e)
		l, err := c.Load(t.Context(), data)
		check.NoError(t, err)
		check.NoError(t, l.Close())
		check.NoError(t, callbacks.Default.Unregister(name))
		if _, err := c.Load(t.Context(), data); err == nil {
			t.Fatal("it was loaded without its callback")
		}
		check.NoError(t,
			callbacks.Default.Register(name, func(*callbacks.Frame) error { return nil }, callbacks.Options{}))
	}
	debug.FreeOSMemory()
	// The race detector keeps memory for each address that was ever used.
	if grown := residentBytes(t) - before; grown > 25<<20 {
		t.Errorf("100 programs left %d MiB", grown>>20)
	}
	check.Diff(t, "executables alive", alive, xla.ExecutablesAlive())
}
