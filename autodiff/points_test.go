package autodiff_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/ir/transform/transformtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// TestSinglePoints holds that docs/autodiff.md lists what the derivatives of JAX's functions are at single points where
// JAX has rules that its modules do not tell.
func TestSinglePoints(t *testing.T) {
	page, err := os.ReadFile("../docs/autodiff.md")
	check.NoError(t, err)
	client := newClient(t)
	for _, c := range transformtest.ReadCases[struct {
		Name, At, Module string
		Arguments        []transformtest.Array
		Slope            string
	}](t, "testdata/points.json.gz") {
		m := mlirtest.Parse(t, mlirtest.Context(t), c.Module)
		jvp, err := autodiff.JVP(function(t, m, "main"), autodiff.Options{})
		check.NoError(t, err)
		got := runOn(t, client, 1, jvp, views(t, c.Arguments)...)[1].At(0)
		row := strings.NewReplacer("+Inf", "∞", "-Inf", "-∞", "inf", "∞", "nan", "NaN").Replace(
			fmt.Sprintf("| `%s` | %s | %.5g | %s |", c.Name, c.At, got, c.Slope))
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/autodiff.md lacks\n%s", row)
		}
	}
}
