package command_test

import (
	"os"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// starve, in the environment of a worker, leaves it no address space.
const starve = "CALLIOPE_TEST_STARVE"

func init() {
	if os.Getenv(starve) == "" {
		return
	}
	if err := mlirtest.RefuseThreads(false); err != nil {
		panic(err)
	}
}

// TestNoThread checks that a worker without address space for a thread is no finding of a file.
func TestNoThread(t *testing.T) {
	t.Setenv(starve, "1")
	dir := t.TempDir()
	args := []string{"-j", "1", writeFile(t, dir, "a.mlir", clean), writeFile(t, dir, "b.mlir", clean)}
	for _, way := range []string{"-strict", "-diff"} {
		r := execute("", append([]string{way}, args...)...)
		r.holds(t, 2, "command.test: mlir: starting a thread with a stack of 512 MiB",
			"raise the limits of address space")
		if r.Stdout != "" {
			t.Errorf("%s: it reported\n%s", way, r.Stdout)
		}
	}
}
