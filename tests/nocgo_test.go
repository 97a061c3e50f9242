package tests

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A build without a C compiler fails with one error, which says what is missing.
func TestBuildWithoutCgo(t *testing.T) {
	cmd := exec.Command("go", "build", "-o", os.DevNull, "./examples/quickstart")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "needs cgo: install a C compiler") ||
		strings.Count(string(out), "\n") != 2 {
		t.Errorf("error %v, printed:\n%s", err, out)
	}
}
