package lint_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
)

// TestNoThread checks a module in a process that can start no thread with a large stack.
func TestNoThread(t *testing.T) {
	const starving = "CALLIOPE_TEST_NO_SPACE"
	if os.Getenv(starving) != "" {
		library := mlirtest.Library(t)
		check.NoError(t, mlirtest.RefuseThreads(false))
		found, err := lint.Check(library, "f", []byte("not a module"), lint.Options{})
		fmt.Println("found", found, err)
		os.Exit(0)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestNoThread$")
	cmd.Env = append(os.Environ(), starving+"=1")
	out, err := cmd.CombinedOutput()
	if want := "found [] mlir: starting a thread with a stack of 512 MiB"; err != nil ||
		!strings.Contains(string(out), want) {
		t.Errorf("error %v, printed, without %q:\n%s", err, want, out)
	}
}
