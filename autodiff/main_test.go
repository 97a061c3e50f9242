package autodiff_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/bridge/lapack"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestMain(m *testing.M) {
	nativetest.Main(m, native.MLIR, native.Jaxlib, native.PJRTPlugin, native.LAPACK)
}

func parse(t *testing.T, text string) *mlir.Module {
	t.Helper()
	return mlirtest.Parse(t, mlirtest.Context(t), text)
}

// function returns a function of a module.
func function(t *testing.T, m *mlir.Module, name string) mlir.Operation {
	t.Helper()
	f, ok := m.SymbolTable().Lookup(name)
	if !ok {
		t.Fatalf("the module has no function %s", name)
	}
	return f
}

// newClient opens the plugin and makes a client, which is closed with the test.
func newClient(t *testing.T) *bridge.Client {
	t.Helper()
	plugin, err := bridge.Open(bridge.OpenOptions{})
	check.NoError(t, err)
	check.NoError(t, lapack.Register(plugin))
	client, err := plugin.NewClient(bridge.ClientOptions{Devices: 4})
	check.NoError(t, err)
	check.Cleanup(t, client)
	return client
}

// run compiles a copy of a module in which a function is main, and runs it.
func run(t *testing.T, client *bridge.Client, f mlir.Operation, arguments ...tensor.View) []tensor.View {
	t.Helper()
	return runOn(t, client, 1, f, arguments...)
}

// runOn is run for devices that share the module. Each gets all of the arguments and has all of the results.
func runOn(
	t *testing.T, client *bridge.Client, devices int, f mlir.Operation, arguments ...tensor.View,
) (results []tensor.View) {
	t.Helper()
	name, _ := f.Symbol()
	copied, err := f.Context().Parse("", []byte(f.Parent().String()))
	check.NoError(t, err)
	defer copied.Close()
	table := copied.SymbolTable()
	if _, ok := table.Lookup("main"); ok && name != "main" {
		check.NoError(t, table.Rename("main", "original"))
	}
	if name != "main" {
		check.NoError(t, table.Rename(name, "main"))
	}
	if original, ok := table.Lookup("original"); ok { // may have operations that XLA does not have
		check.NoError(t, original.Erase())
	}
	if devices > 1 {
		copies(t, function(t, copied, "main"))
	}
	// Most of the time of these tests was LLVM's.
	options := engine.CompileOptions{Partitions: devices, OptimizationLevel: engine.NoOptimization}
	executable, err := client.Compile(t.Context(), passes.Program(copied, passes.PrepareOptions{}), options)
	if err != nil {
		t.Fatalf("%v\n%s", err, f)
	}
	check.Cleanup(t, executable)
	var inputs []engine.Input
	for range devices {
		for _, v := range arguments {
			inputs = append(inputs, v)
		}
	}
	buffers, err := executable.Run(t.Context(), inputs...)
	check.NoError(t, err)
	for i, b := range buffers {
		v, err := b.ToHost(t.Context())
		check.NoError(t, err)
		check.NoError(t, b.Close())
		if i < len(buffers)/devices {
			results = append(results, v)
		}
	}
	return results
}

// copies gives each device all of the parameters and results of a function in a mesh.
func copies(t *testing.T, f mlir.Operation) {
	t.Helper()
	body := f.Region(0).First()
	parameters := body.ArgumentValues()
	for name, values := range map[string][]mlir.Value{
		"arg_attrs": parameters, "res_attrs": body.Terminator().OperandValues(),
	} {
		var list []string
		for _, v := range values {
			dims, _ := v.Type().Dims()
			whole := strings.Join(slices.Repeat([]string{"{}"}, len(dims)), ", ")
			list = append(list, "{sdy.sharding = #sdy.sharding<@mesh, ["+whole+"]>}")
		}
		f.SetAttribute(name, check.Must(f.Context().ParseAttribute("["+strings.Join(list, ", ")+"]")))
	}
}
