package vmap_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestMain(m *testing.M) { nativetest.Main(m, native.MLIR, native.PJRTPlugin, native.LAPACK) }

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
	client, err := plugin.NewClient(bridge.ClientOptions{})
	check.NoError(t, err)
	check.Cleanup(t, client)
	return client
}

// asMain returns a copy of a module in which a function is main.
func asMain(t *testing.T, f mlir.Operation) *mlir.Module {
	t.Helper()
	name, _ := f.Symbol()
	copied, err := f.Context().Parse("", []byte(f.Parent().String()))
	check.NoError(t, err)
	table := copied.SymbolTable()
	if _, ok := table.Lookup("main"); ok && name != "main" {
		check.NoError(t, table.Rename("main", "original"))
	}
	if name != "main" {
		check.NoError(t, table.Rename(name, "main"))
	}
	return copied
}

// compile compiles a function, and returns a function that runs it.
func compile(t *testing.T, client *bridge.Client, f mlir.Operation) func(arguments ...tensor.View) []tensor.View {
	t.Helper()
	copied := asMain(t, f)
	defer copied.Close()
	executable, err := client.Compile(t.Context(), passes.Program(copied, passes.PrepareOptions{}),
		engine.CompileOptions{OptimizationLevel: engine.NoOptimization}) // most of the time of these tests was LLVM's
	if err != nil {
		t.Fatalf("%v\n%s", err, f)
	}
	check.Cleanup(t, executable)
	return func(arguments ...tensor.View) (results []tensor.View) {
		var inputs []engine.Input
		for _, v := range arguments {
			inputs = append(inputs, v)
		}
		buffers, err := executable.Run(t.Context(), inputs...)
		check.NoError(t, err)
		for _, b := range buffers {
			v, err := b.ToHost(t.Context())
			check.NoError(t, err)
			check.NoError(t, b.Close())
			results = append(results, v)
		}
		return results
	}
}

// part returns an element of a batch.
func part(t *testing.T, batch tensor.View, i int64) tensor.View {
	t.Helper()
	shape := tensor.ShapeOf(batch.Shape.DType, batch.Shape.Dims[1:]...)
	n := shape.NumBytes()
	return tensor.View{Shape: shape, Data: batch.Data[int(i)*n : int(i+1)*n]}.Clone()
}
