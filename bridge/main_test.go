package bridge

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/forgotten"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestMain(m *testing.M) { nativetest.Main(m, native.PJRTPlugin, native.MLIR) }

func testPlugin(t testing.TB) *Plugin {
	t.Helper()
	p, err := Open(OpenOptions{})
	check.NoError(t, err)
	return p
}

// known is what a plugin reports of itself.
type known struct{ pjrt, ffi, stablehlo string }

// knownPlugins are the plugins that these tests run on, by the name of the library's file.
var knownPlugins = map[string]known{
	"xla_cpu_pjrt.so":          {"0.81", "0.2", "1.13.3"},  // native.PJRT81
	"libpjrt_cpu.so":           {"0.106", "0.3", "1.16.1"}, // native.PJRT106
	"pjrt_c_api_cpu_plugin.so": {"0.115", "0.4", "1.20.0"}, // native.PJRTPlugin
	"libcalliope_pjrt.so":      {"0.104", "0.5", "1.20.0"}, // c/plugin
}

// knownPlugin returns what the plugin of this process must report.
func knownPlugin(t testing.TB) known {
	t.Helper()
	file := filepath.Base(testPlugin(t).Info().Path)
	k, ok := knownPlugins[file]
	if !ok {
		t.Fatalf("these tests do not know the plugin %s", file)
	}
	return k
}

// testClient returns a client with four devices.
func testClient(t testing.TB) *Client {
	t.Helper()
	c, err := testPlugin(t).NewClient(ClientOptions{Devices: 4})
	check.NoError(t, err)
	check.Cleanup(t, c)
	return c
}

func compile(t testing.TB, c *Client, module string, o engine.CompileOptions) *Executable {
	t.Helper()
	e, err := c.Compile(t.Context(), Source(module), o)
	if err != nil {
		t.Fatalf("%v\n%s", err, module)
	}
	check.Cleanup(t, e)
	return e
}

// register binds fn to a name of the test until the test ends.
func register(t testing.TB, signature string, fn callbacks.Func) (name string) {
	t.Helper()
	name = strings.ReplaceAll(t.Name(), "/", ".")
	registerAs(t, name, signature, fn)
	return name
}

// registerAs binds fn to a name until the test ends.
func registerAs(t testing.TB, name, signature string, fn callbacks.Func) {
	t.Helper()
	check.NoError(t, callbacks.Default.Register(name, fn, callbacks.Options{Signature: signature}))
	t.Cleanup(func() { _ = callbacks.Default.Unregister(name) })
}

// custom returns a custom call of the contract. config is added to the version and the form
// in backend_config.
func custom(form contract.Form, config, operands, types, results string) string {
	op := fmt.Sprintf("stablehlo.custom_call @%s(%s) {api_version = 4 : i32, has_side_effect = %t, backend_config = {v = 1 : i64, form = %q, %s}",
		form.Target(), operands, form.HasSideEffect(), form, config)
	if form == contract.Passthrough {
		n := strings.Count(operands, "%")
		var aliases []string
		for i := range n {
			indices := fmt.Sprint(i)
			if n == 1 {
				indices = ""
			}
			aliases = append(aliases, fmt.Sprintf("#stablehlo.output_operand_alias<output_tuple_indices = [%s], operand_index = %d, operand_tuple_indices = []>", indices, i))
		}
		op += ", output_operand_aliases = [" + strings.Join(aliases, ", ") + "]"
	}
	return op + "} : (" + types + ") -> " + results
}

// named returns the part of backend_config that binds by name.
func named(name, signature string) string {
	return fmt.Sprintf("callback = %q, signature = %q", name, contract.SignatureHash(signature))
}

func mainFunc(params, results, body string) string {
	return "module {\n func.func @main(" + params + ") -> (" + results + ") {\n" + body + "\n }\n}"
}

// passthrough returns a module with cos, a passthrough callback, and a doubling.
func passthrough(name, signature, typ string) string {
	return mainFunc("%x: "+typ, typ,
		"%c = stablehlo.cosine %x : "+typ+"\n"+
			"%p = "+custom(contract.Passthrough, named(name, signature), "%c", typ, typ)+"\n"+
			"%s = stablehlo.add %p, %p : "+typ+"\n"+
			"return %s : "+typ)
}

func view[T tensor.Element](t testing.TB, data []T, dims ...int) tensor.View {
	t.Helper()
	v, err := tensor.FromSlice(data, dims...)
	check.NoError(t, err)
	return v
}

// host returns the values of a buffer, and closes it.
func host[T tensor.Element](t testing.TB, b *engine.Array) []T {
	t.Helper()
	v, err := b.ToHost(t.Context())
	check.NoError(t, err)
	check.Report(t, b.Close())
	values, err := tensor.Slice[T](v)
	check.NoError(t, err)
	return values
}

// buffersAlive returns the number of arrays in C, after those that tests have forgotten are freed.
func buffersAlive() int64 {
	forgotten.Settle()
	return pjrt.ArraysAlive()
}

// memoryOf returns the memory of an array on a device.
func memoryOf(a *engine.Array) *deviceArray { return a.Memory().(*deviceArray) }
