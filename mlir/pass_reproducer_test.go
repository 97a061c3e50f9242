package mlir_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestReproducer checks that the file exists while passes run and after a run that failed, and that
// it has the module before the passes, and the passes.
func TestReproducer(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		path := filepath.Join(t.TempDir(), "r.mlir")
		fails := false
		pm := passManager(t, c, mlir.PassManagerOptions{Reproducer: path})
		check.NoError(t, errors.Join(pm.Nest("func.func").Add("cse"),
			pm.AddPass(mlir.Pass{Name: "looks", Run: func(mlir.Operation) error {
				if _, err := os.Stat(path); err != nil || fails {
					return errors.Join(err, fs.ErrInvalid)
				}
				return nil
			}})))
		check.NoError(t, pm.Run(mlirtest.Parse(t, c, twice)))
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after a run that succeeded: %v", err)
		}
		fails = true
		if err := pm.Run(mlirtest.Parse(t, c, twice)); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("the run gave %v", err)
		}
		text := check.Must(os.ReadFile(path))
		if want := `pipeline: "` + pm.String() + `"`; !strings.Contains(string(text), want) {
			t.Errorf("the reproducer does not contain %q:\n%s", want, text)
		}
		check.Diff(t, "the module", mlirtest.Parse(t, c, twice).String(), check.Must(c.Parse("", text)).String())

		pm = passManager(t, c, mlir.PassManagerOptions{Reproducer: filepath.Join(path, "nowhere")})
		check.Error(t, pm.Run(mlirtest.Parse(t, c, twice)), "mlir: writing the reproducer: ")
	})
}
