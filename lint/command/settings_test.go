package command_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestShowSettings prints what a configuration, its base and the flags make of each file.
func TestShowSettings(t *testing.T) {
	tree(t, map[string]string{
		"a.mlir": clean, "old/b.mlir": clean, "old/.mlir-lint.yaml": "extends: ../base.yaml\nstrict: true\n",
		"base.yaml":       "rules: {outfeed: warning, layouts: off}\nknown-targets: [served]\n",
		"gone/c.mlir":     clean,
		".mlir-lint.yaml": "ignore: [{path: gone, reason: generated}]\n",
	})
	here := check.Must(filepath.Abs("."))
	r := withFew("", "-show-settings", "-target-stablehlo", "1.2.3", ".")
	check.Diff(t, "exit status and errors", result{Exit: 0, Stdout: r.Stdout}, r)
	check.Diff(t, "settings", strings.ReplaceAll(`{"file":"a.mlir","configuration":"HERE/.mlir-lint.yaml","rules":["create-token","layouts","outfeed","ignore","invalid"],"targetStablehlo":"1.2.3"}
{"file":"gone/c.mlir","configuration":"HERE/.mlir-lint.yaml","ignored":true}
{"file":"old/b.mlir","configuration":"HERE/old/.mlir-lint.yaml","rules":["create-token","outfeed","ignore","invalid"],"severities":{"layouts":"off","outfeed":"warning"},"strict":true,"knownTargets":["served"],"targetStablehlo":"1.2.3"}
`, "HERE", filepath.ToSlash(here)), strings.ReplaceAll(r.Stdout, `\\`, "/"))
	writeFile(t, "old", ".mlir-lint.yaml", "nonsense: 1")
	withFew("", "-show-settings", "old").holds(t, 2, ".mlir-lint.yaml:1:1", "nonsense")
}
