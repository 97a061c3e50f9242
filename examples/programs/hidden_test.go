package programs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/cctest"
	"github.com/calliope-mlir/calliope/native"
)

// TestInStages runs the programs on a plugin that cannot call back. They print what they print otherwise.
func TestInStages(t *testing.T) {
	plugin, err := native.Find(native.PJRTPlugin)
	if err != nil {
		t.Fatal(err)
	}
	hidden := cctest.Library(t, filepath.Join("..", "..", "stages", "testdata", "hidden.c"))
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^Example_",
		"-test.skip=devices|sharded|eigenvalues") // devices share these modules, or they call LAPACK
	cmd.Env = append(os.Environ(), native.PJRTPlugin.Env()+"="+hidden, "HIDDEN_PLUGIN="+plugin.Path)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := strings.Count(string(out), "--- PASS: "); n < 10 {
		t.Errorf("only %d programs ran:\n%s", n, out)
	}
}
