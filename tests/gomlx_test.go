package tests

import (
	"os"
	"os/exec"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestGoMLX runs the tests of the module gomlx, which "go test ./..." of this one leaves out.
func TestGoMLX(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "test", "./...")
	cmd.Dir, cmd.Env = "../gomlx", append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go test in gomlx: %v\n%s", err, out)
	}
}
