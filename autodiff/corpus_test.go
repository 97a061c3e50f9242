package autodiff_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// TestCorpus differentiates each function of the modules of the repository: the result is an error with an operation or
// a function that verifies, in a time that is not much longer than that of parsing.
func TestCorpus(t *testing.T) {
	check.NoRaces(t)
	var paths []string
	check.NoError(t, filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.Contains(path, "testdata") && filepath.Ext(path) == ".mlir" {
			paths = append(paths, path)
		}
		return err
	}))
	made, refused := 0, 0
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			text := check.Must(os.ReadFile(path))
			start := time.Now()
			m, err := mlirtest.ContextOf(t, mlirtest.Jaxlib(t)).Parse(path, text)
			if err != nil {
				return // a text that is wrong, or of another library
			}
			defer m.Close()
			parse := time.Since(start)
			for _, op := range mlirFunctions(m) {
				for name, derive := range map[string]func(mlir.Operation) error{
					"JVP": func(f mlir.Operation) error {
						_, err := autodiff.JVP(f, autodiff.Options{})
						return err
					},
					"VJP": func(f mlir.Operation) error {
						_, _, err := autodiff.VJP(f, autodiff.Options{MaxSteps: 3})
						return err
					},
				} {
					start := time.Now()
					err := derive(op)
					if took := time.Since(start); took > 200*parse+10*time.Second {
						t.Errorf("%s of %v takes %v, and parsing %v", name, op.Location(), took, parse)
					}
					var of *stablehlo.TransformError
					switch {
					case err == nil:
						made++
					case errors.As(err, &of) && of.Reason != "":
						refused++
					default:
						t.Errorf("%s: %v", name, err)
					}
				}
			}
			check.NoError(t, m.Operation().Verify())
		})
	}
	if made < 100 {
		t.Errorf("only %d derivatives are made, and %d refused, of %d files", made, refused, len(paths))
	}
}

// mlirFunctions returns the functions of a module as they are now.
func mlirFunctions(m *mlir.Module) (list []mlir.Operation) {
	for op := range m.Body().Operations() {
		if op.Name() == "func.func" {
			list = append(list, op)
		}
	}
	return list
}
