package transforms

import (
	"flag"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/bridge/lapack"
	"github.com/calliope-mlir/calliope/internal/ir/transform/transformtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tools/soak/transforms"
)

var edgesFile = flag.String("edges", "testdata/edges.json.gz", "the file of edges, which testdata/edges.py wrote")

// TestEdges holds first and second derivatives of JAX's functions at their ties and edges to what JAX computes. At a
// pole, such as that of 1/x, JAX's rule of a quotient may be NaN where ours is infinite.
func TestEdges(t *testing.T) { hold(t, *edgesFile, transformtest.Takes, true) }

// TestSingularDeterminant holds the gradient of JAX's det to the cofactors of a matrix whose factor U has a
// zero that is not the last one. JAX has 0 there.
func TestSingularDeterminant(t *testing.T) {
	plugin, err := bridge.Open(bridge.OpenOptions{})
	check.NoError(t, err)
	check.NoError(t, lapack.Register(plugin))
	client, err := plugin.NewClient(bridge.ClientOptions{})
	check.NoError(t, err)
	check.Cleanup(t, client)
	for _, c := range transformtest.ReadCases[randomCase](t, *edgesFile) {
		if !strings.HasPrefix(c.Name, "det of rank 3: vjp") {
			continue
		}
		m := mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), c.Module)
		f, _ := m.SymbolTable().Lookup("main")
		grad, err := transforms.Step{Kind: "grad"}.Transform(m, f)
		check.NoError(t, err)
		x := check.Must(tensor.FromSlice([]float64{0, 0, 1, 0, 2, 0, 0, 1, 0, 0, 0, -1, 0, 0, 3, 0}, 4, 4))
		got := transformtest.Numbers(t, run(t, client, m, grad, []tensor.View{x})[0])
		want := []float64{0, -6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0}
		check.Diff(t, "gradient", want, got, cmpopts.EquateApprox(0, 1e-12))
		return
	}
	t.Error("there is no determinant in the file")
}
