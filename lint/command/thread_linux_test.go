package command_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
)

func init() {
	everything = append(everything,
		&lint.Analyzer{Name: "starves", Doc: "leaves its worker no address space", Run: func(*lint.Pass) error {
			return mlirtest.RefuseThreads(true)
		}})
}

// TestNoThread checks that a worker without address space for a thread is no finding of a file.
func TestNoThread(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-rules", "starves", "-j", "1", writeFile(t, dir, "a.mlir", clean),
		writeFile(t, dir, "b.mlir", clean)}
	for _, way := range []string{"-strict", "-diff"} {
		r := executeWith(everything, "", append([]string{way}, args...)...)
		r.holds(t, 2, "command.test: mlir: starting a thread with a stack of 512 MiB",
			"raise the limits of address space")
		if r.Stdout != "" {
			t.Errorf("%s: it reported\n%s", way, r.Stdout)
		}
	}
}
