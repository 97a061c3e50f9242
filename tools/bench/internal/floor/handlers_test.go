package floor_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/host/dl"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/internal/run/pjrt/pjrttest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tools/bench/internal/floor"
)

func TestMain(m *testing.M) { nativetest.Main(m, native.PJRTPlugin) }

// open returns the plugin, as the bridge and as C have it.
func open(t *testing.T) (*bridge.Plugin, *pjrt.Plugin) {
	t.Helper()
	plugin, err := bridge.Open(bridge.OpenOptions{})
	check.NoError(t, err)
	library, err := dl.Open(plugin.Info().Path)
	check.NoError(t, err)
	table, err := pjrt.Load(library)
	check.NoError(t, err)
	return plugin, table
}

// client has the targets and four devices.
func client(t *testing.T) *bridge.Client {
	t.Helper()
	plugin, table := open(t)
	for range 2 {
		check.NoError(t, floor.Register(table))
	}
	c, err := plugin.NewClient(bridge.ClientOptions{Devices: 4})
	check.NoError(t, err)
	check.Cleanup(t, c)
	return c
}

func compile(t *testing.T, c *bridge.Client, module string) *bridge.Executable {
	t.Helper()
	e, err := c.Compile(t.Context(), bridge.Source(module), engine.CompileOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, module)
	}
	check.Cleanup(t, e)
	return e
}

const attributes = `api_version = 4 : i32, has_side_effect = true, backend_config = {}`

// passing is a call that passes %x, of that type, through.
func passing(target, typ string) string {
	return fmt.Sprintf(`%%y = stablehlo.custom_call @%s(%%x) {%s, output_operand_aliases = [
  #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]
} : (%[3]s) -> %[3]s`, target, attributes, typ)
}

// observing is a call that only looks at %x.
func observing(target, typ string) string {
	return fmt.Sprintf(`%%t = stablehlo.custom_call @%s(%%x) {%s} : (%s) -> tensor<i8>
%%y = stablehlo.multiply %%x, %%one : %[3]s`, target, attributes, typ)
}

// loop doubles an array n times behind a call of that kind.
func loop(call string) string {
	return `func.func @main(%a: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %step = stablehlo.constant dense<1> : tensor<i32>
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %r:2 = stablehlo.while(%i = %c, %x = %a) : tensor<i32>, tensor<4xf32>
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      ` + call + `
      %z = stablehlo.add %y, %y : tensor<4xf32>
      %j = stablehlo.add %i, %step : tensor<i32>
      stablehlo.return %j, %z : tensor<i32>, tensor<4xf32>
    }
  return %r#1 : tensor<4xf32>
}`
}

// Each floor serves calls of loops on several devices at once, which compute what they do
// without it.
func TestHandlers(t *testing.T) {
	c := client(t)
	for target, call := range map[string]func(target, typ string) string{
		floor.Passthrough: passing,
		floor.ThreadFutex: passing, floor.ThreadFutexSpin: passing,
		floor.ThreadCond: passing, floor.ThreadCondSpin: passing,
		floor.Deferred: passing, floor.DeferredSpin: passing,
		floor.Queue: observing, floor.QueueSpin: observing,
		floor.Copy: observing, floor.Copies: passing,
	} {
		t.Run(target, func(t *testing.T) {
			e := compile(t, c, loop(call(target, "tensor<4xf32>")))
			var wait sync.WaitGroup
			for device := range c.NumDevices() {
				wait.Go(func() {
					in, err := c.ArrayFromHost(t.Context(), tensor.Vector[float32](1, 2, 3, 4), device)
					if err != nil {
						t.Error(err)
						return
					}
					defer in.Close()
					for range 20 {
						got, err := run(t, e, in, tensor.Scalar[int32](100))
						if err != nil {
							t.Error(err)
							return
						}
						const twice = 1 << 50 * (1 << 50) // a hundred times
						if diff := cmp.Diff([]float32{twice, 2 * twice, 3 * twice, 4 * twice}, got); diff != "" {
							t.Errorf("(-want +got):\n%s", diff)
							return
						}
					}
				})
			}
			wait.Wait()
		})
	}
}

func run(t *testing.T, e *bridge.Executable, inputs ...engine.Input) ([]float32, error) {
	out, err := e.Run(t.Context(), inputs...)
	if err != nil {
		return nil, err
	}
	defer out[0].Close()
	v, err := out[0].ToHost(t.Context())
	if err != nil {
		return nil, err
	}
	return tensor.Slice[float32](v)
}

// What a floor does not take is an error, and not a crash.
func TestHandlersRefuse(t *testing.T) {
	c := client(t)
	for target, want := range map[string]string{
		floor.ThreadFutex: "takes an array of f32", floor.Deferred: "takes an array of f32",
		floor.Copies: "takes an array of f32",
	} {
		const typ = "tensor<4xi32>"
		e := compile(t, c,
			"func.func @main(%x: "+typ+") -> "+typ+" {\n"+passing(target, typ)+"\nreturn %y : "+typ+"\n}")
		_, err := e.Run(t.Context(), tensor.Vector[int32](1, 2, 3, 4))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in it", target, err, want)
		}
	}
}

func TestRegisterRefuses(t *testing.T) {
	client(t)
	other, err := pjrt.Load(pjrttest.Open(t, pjrttest.Right2))
	check.NoError(t, err)
	check.Error(t, floor.Register(other), "another plugin")
}
