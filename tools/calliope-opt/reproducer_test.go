package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
)

// TestReproducerFiles runs reproducers of a stranger. A pass that writes a file does so only if a flag allows it.
func TestReproducerFiles(t *testing.T) {
	folder := t.TempDir()
	written := filepath.Join(folder, "written")
	for _, test := range []struct {
		name, pipeline, flags string
		want                  string // a part of the error, "" if it runs
	}{
		{"plain", "canonicalize{max-iterations=3},cse", "", ""},
		{"a file by an option", "snapshot-op-locations{filename=" + written + "}", "", "the option filename"},
		{"nested", "func.func(cse,snapshot-op-locations{print-op-generic filename=" + written + "})", "",
			"the option filename"},
		{"a file by a pass", "cse,snapshot-op-locations", "", "the pass snapshot-op-locations"},
		{"a program", "view-op-graph", "", "the pass view-op-graph"},
		{"a library", "transform-preload-library{transform-library-paths=a.mlir}", "", "the option transform-library-paths"},
		{"tools", "gpu-module-to-binary{toolkit=" + folder + "}", "", "the option toolkit"},
		{"trusted", "snapshot-op-locations{filename=" + written + "}", "--trust-reproducer", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			module := "func.func @main() { return }\n{-#\n  external_resources: {\n    mlir_reproducer: {\n" +
				"      pipeline: \"builtin.module(" + test.pipeline + ")\"\n    }\n  }\n#-}\n"
			_, errs, status := opt(t, folder, module, strings.Fields("--run-reproducer "+test.flags)...)
			if done := status == exitDone; done != (test.want == "") || !strings.Contains(errs, test.want) {
				t.Errorf("status %d, %s, want %q", status, errs, test.want)
			}
			_, err := os.Stat(written)
			if exists := err == nil; exists != (test.flags != "") {
				t.Errorf("a file was written: %v", exists)
			}
		})
	}
	check.NoError(t, os.Remove(written))
}
