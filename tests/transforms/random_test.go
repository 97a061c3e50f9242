package transforms

import (
	"flag"
	"fmt"
	"math"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/bridge/lapack"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/ir/transform/transformtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tools/soak/transforms"
)

// A randomCase is a random program of JAX as a module, with what JAX computes of transformations of it, the innermost
// one first. testdata/make.py writes them.
type randomCase struct {
	Name, Module       string
	Steps              []transforms.Step
	Arguments, Results []transformtest.Array
	Errors             []float64 // that roundings make in each result
}

var casesFile = flag.String("cases", "testdata/cases.json.gz", "the file of random programs, which testdata/make.py wrote")

// TestRandomPrograms holds transformations of random programs, up to three deep, to what JAX computes.
func TestRandomPrograms(t *testing.T) {
	hold(t, *casesFile, func(i int) bool { return !testing.Short() || i%10 == 0 }, false)
}

// hold transforms the programs of a file that takes accepts, and compares with JAX. With poles, a number may be
// infinite where JAX's is NaN.
func hold(t *testing.T, file string, takes func(i int) bool, poles bool) {
	plugin, err := bridge.Open(bridge.OpenOptions{})
	check.NoError(t, err)
	check.NoError(t, lapack.Register(plugin))
	registerWave()
	client, err := plugin.NewClient(bridge.ClientOptions{})
	check.NoError(t, err)
	check.Cleanup(t, client)
	for i, c := range transformtest.ReadCases[randomCase](t, file) {
		if !takes(i) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			m := mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), withCallbacks(c.Module, i))
			f, _ := m.SymbolTable().Lookup("main")
			for _, s := range c.Steps {
				var err error
				if f, err = s.Transform(m, f); err != nil {
					t.Fatalf("%s: %v\n%s", s.Kind, err, c.Module)
				}
			}
			arguments := make([]tensor.View, len(c.Arguments))
			for i, a := range c.Arguments {
				arguments[i] = a.View(t)
			}
			got := run(t, client, m, f, arguments)
			if len(got) != len(c.Results) {
				t.Fatalf("%d results, want %d", len(got), len(c.Results))
			}
			for i, w := range c.Results {
				compare(t, fmt.Sprint("result ", i), w.View(t), got[i], c.Errors[i], poles)
			}
			if t.Failed() {
				t.Logf("%s\n%+v", c.Module, c.Steps)
			}
		})
	}
}

// orders is how many times the error of JAX's roundings ours may be, which is that of one other order of additions.
const orders = 8

// compare compares an array with that of JAX, in which roundings make an error.
func compare(t *testing.T, what string, want, got tensor.View, roundings float64, poles bool) {
	t.Helper()
	if want.Shape.String() != got.Shape.String() {
		t.Errorf("%s: %s, want %s", what, got.Shape, want.Shape)
		return
	}
	ws, gs := transformtest.Numbers(t, want), transformtest.Numbers(t, got)
	for k, w := range ws {
		undefined := math.IsNaN(w) && (math.IsNaN(gs[k]) || poles && math.IsInf(gs[k], 0))
		if w == gs[k] || undefined || math.Abs(w-gs[k]) <= orders*roundings {
			continue
		}
		t.Errorf("%s: element %d is %v, want %v, within %g\n%v\n%v", what, k, gs[k], w, orders*roundings, gs, ws)
		return
	}
}

// run compiles a module in which f is main, and runs it.
func run(
	t *testing.T, client *bridge.Client, m *mlir.Module, f mlir.Operation, arguments []tensor.View,
) (results []tensor.View) {
	t.Helper()
	table := m.SymbolTable()
	if name, _ := f.Symbol(); name != "main" {
		check.NoError(t, table.Rename("main", "original"))
		check.NoError(t, table.Rename(name, "main"))
	}
	executable, err := client.Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}),
		engine.CompileOptions{OptimizationLevel: engine.NoOptimization}) // most of the time of these tests was LLVM's
	if err != nil {
		t.Fatalf("%v\n%s", err, f)
	}
	check.Cleanup(t, executable)
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
