//go:build engines

package tests

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestGoXLA links programs with this module's backend for GoMLX and go-xla's: with gopjrt they do not link, as
// docs/gomlx.md says, and with the module that takes its place both run in one process.
func TestGoXLA(t *testing.T) {
	run := func(workspace string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "go", "test", "-tags", "xla", "./internal/bench")
		cmd.Dir, cmd.Env = "../gomlx", append(os.Environ(), "GOWORK="+workspace)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	workspace, err := os.Getwd()
	check.NoError(t, err)
	if out, err := run(workspace + "/../gomlx/gopjrt/go.work"); err != nil {
		t.Errorf("with go-xla in gopjrt's place: %v\n%s", err, out)
	}
	doc, err := os.ReadFile("../docs/gomlx.md")
	check.NoError(t, err)
	want := regexp.MustCompile("(?m)multiple definition of `new_PJRT_\\w+'").FindString(string(doc))
	if out, err := run("off"); err == nil || want == "" || !strings.Contains(out, want) {
		t.Errorf("with gopjrt: %v, and the documented %q is not in:\n%.2000s", err, want, out)
	}
}
