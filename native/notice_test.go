package native

import (
	"os"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestNotice holds that NOTICE lists each part that can be fetched.
func TestNotice(t *testing.T) {
	data, err := os.ReadFile("../NOTICE")
	check.NoError(t, err)
	lines := strings.Split(string(data), "\n")
	for _, p := range []Part{MLIR, Jaxlib, PJRTPlugin, PJRT81, PJRT106, IREE, LLVM, LAPACK, CUDA} {
		for _, release := range p.Releases() {
			found := false
			for _, line := range lines {
				found = found || strings.HasPrefix(line, string(p)+" ") &&
					(strings.Contains(line, release+" ") || p == LLVM)
			}
			if !found {
				t.Errorf("NOTICE has no line of %s: %s", p, release)
			}
		}
	}
}
