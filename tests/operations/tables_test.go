package operations_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tools/soak/structs"
)

// hintFile lists the operations that not all libraries with their dialect have, by library.
var hintFile = filepath.Join("..", "..", "mlir", "hint_operations.txt")

// registered returns the dialects of a library that have typed operations, and the operations
// that it has.
func registered(t *testing.T, l *mlir.Library) (dialects map[string]int, names map[string]bool) {
	c := mlirtest.ContextOf(t, l)
	c.LoadAllDialects()
	loaded := c.Dialects()
	dialects, names = map[string]int{}, map[string]bool{}
	for _, op := range structs.All {
		dialect, _, _ := strings.Cut(op.Name, ".")
		if !slices.Contains(loaded, dialect) {
			continue
		}
		dialects[dialect] += 0
		if c.Registered(op.Name) {
			names[op.Name] = true
			dialects[dialect]++
		}
	}
	return dialects, names
}

// TestRegistered checks that the default library has the operations that the tables say.
func TestRegistered(t *testing.T) {
	dialects, names := registered(t, mlirtest.Library(t))
	lacks := map[string]bool{}
	other := false
	for line := range strings.Lines(string(check.Must(os.ReadFile(hintFile)))) {
		name, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), " ")
		if !ok {
			other = !slices.Contains(strings.Fields(name), "mlir")
		}
		lacks[name] = ok && other
	}
	for _, op := range structs.All {
		dialect, _, _ := strings.Cut(op.Name, ".")
		_, known := dialects[dialect]
		if known && names[op.Name] == lacks[op.Name] {
			t.Errorf("%s: the library has it: %v", op.Name, names[op.Name])
		}
	}
}
