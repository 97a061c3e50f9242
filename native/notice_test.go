package native

import (
	"os"
	"strings"
	"testing"
)

// TestNotice holds that NOTICE lists each part that can be fetched.
func TestNotice(t *testing.T) {
	data, err := os.ReadFile("../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	for _, p := range []Part{MLIR, Jaxlib, PJRTPlugin, PJRT106, PJRT115, IREE, LLVM, LAPACK, CUDA} {
		s, found := table[p], false
		for _, line := range lines {
			found = found || strings.HasPrefix(line, string(p)+" ") && (strings.Contains(line, s.project+" "+s.version+" ") || s.project == "LLVM")
		}
		if !found {
			t.Errorf("NOTICE has no line of %s: %s %s", p, s.project, s.version)
		}
	}
}
