package dl

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestMachine opens a library in a process that may use no more address space.
func TestMachine(t *testing.T) {
	const child = "CALLIOPE_TEST_NO_SPACE"
	if os.Getenv(child) != "" {
		runtime.KeepAlive(make([]byte, 16<<20))
		runtime.GC() // the heap has space now, and need not grow
		limit := syscall.Rlimit{Cur: 64 << 20, Max: 64 << 20}
		check.NoError(t, syscall.Setrlimit(addressSpace, &limit))
		_, err := Open("libm.so.6")
		fmt.Println(err)
		os.Exit(0)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestMachine$")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.CombinedOutput()
	const want = "this process may use only 64 MiB of address space: raise the limit (ulimit -v)"
	if err != nil || !strings.Contains(string(out), want) {
		t.Errorf("error %v, printed, without %q:\n%s", err, want, out)
	}
}
