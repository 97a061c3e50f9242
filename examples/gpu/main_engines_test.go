//go:build engines

package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// TestProgram checks that the program prints the kernel's PTX, and the sums of its twin.
func TestProgram(t *testing.T) {
	mlirtest.Upstream(t) // fetches the library
	r, w, err := os.Pipe()
	check.NoError(t, err)
	before := os.Stdout
	os.Stdout = w
	main()
	os.Stdout = before
	check.NoError(t, w.Close())
	out := string(check.Must(io.ReadAll(r)))
	for _, want := range []string{".visible .entry add_kernel(", "add.rn.f32", "\n[2 3 4 5]\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
}
