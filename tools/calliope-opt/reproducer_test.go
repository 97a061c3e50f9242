package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
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
		{"a pipeline with tools", "gpu-lower-to-nvvm-pipeline", "", "the pass gpu-lower-to-nvvm-pipeline"},
		{"a pass of another library", "iree-hal-serialize-target-executables", "",
			"the pass iree-hal-serialize-target-executables"},
		{"a pass in an option", "inline{default-pipeline=view-op-graph max-iterations=2}", "", "the pass view-op-graph"},
		{"passes in an option", "inline{op-pipelines={func.func(cse),any(canonicalize,view-op-graph)}}", "",
			"the pass view-op-graph"},
		{"an option that is not known", "canonicalize{surprise=x}", "", "the option surprise of the pass canonicalize"},
		{"an option with a pipeline", "composite-fixed-point-pass{pipeline=any(view-op-graph)}", "",
			"the option pipeline of the pass composite-fixed-point-pass"},
		{"quotes", "canonicalize{enable-patterns='a}',view-op-graph,cse{'}", "", "cannot be read"},
		{"braces", "canonicalize{,view-op-graph", "", "cannot be read"},
		{"parentheses", "func.func(cse", "", "cannot be read"},
		{"what inline writes", "inline{default-pipeline=canonicalize inlining-threshold=4294967295 max-iterations=4 }",
			"", ""},
		{"options of lists",
			"canonicalize{disable-patterns={a b} max-iterations=10 region-simplify=normal}, func.func(any(cse) , cse)",
			"", ""},
		{"StableHLO", "stablehlo-compatibility-expander{target=1.0.0},func.func(stablehlo-complex-math-expander)", "",
			""},
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
