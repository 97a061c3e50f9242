package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
)

// TestLackingLibrary names the library that the system lacks.
func TestLackingLibrary(t *testing.T) {
	t.Chdir(t.TempDir())
	check.NoError(t, os.WriteFile("needed.c", []byte("int needed(void) { return 1; }"), 0o600))
	check.NoError(t, os.WriteFile("user.c", []byte("int needed(void); int user(void) { return needed(); }"), 0o600))
	const lost = "libcalliope_lost.so.1"
	for _, args := range [][]string{
		{"-o", lost, "needed.c", "-Wl,-soname," + lost},
		{"-o", "user.so", "user.c", "./" + lost},
	} {
		out, err := exec.Command("cc", append([]string{"-shared", "-fPIC"}, args...)...).CombinedOutput()
		check.Diff(t, "what cc says", "", string(out))
		check.NoError(t, err)
	}
	t.Setenv(native.MLIR.Env(), check.Must(filepath.Abs("user.so")))
	_, stdout, _ := doctor(t, "-check=false")
	check.Diff(t, "the last line", "next: install the package of the system that has "+lost+", then "+command,
		lastLine(stdout))
}
