package command_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestInvalidIsARule checks that severities, paths, comments and baselines count for the rule invalid, in
// full runs and with -quick.
func TestInvalidIsARule(t *testing.T) {
	const unclosed = "func.func @f() { return { a = \"outfeed\n"
	tree(t, map[string]string{
		"bad.mlir":                unclosed,
		"off/.mlir-lint.yaml":     "rules: {invalid: off}",
		"off/bad.mlir":            unclosed,
		"warning/.mlir-lint.yaml": "rules: {invalid: warning}",
		"warning/bad.mlir":        unclosed,
		"path/.mlir-lint.yaml":    "ignore: [{path: bad.mlir, rules: [invalid]}]",
		"path/bad.mlir":           unclosed,
		"path/worse.mlir":         unclosed,
		"comment/bad.mlir":        "// mlir-lint:ignore invalid a test of the parser\n" + unclosed,
		"mistake/.mlir-lint.yaml": "x: y",
		"mistake/bad.mlir":        unclosed,
	})
	place := map[string]string{"": ":1:39", "quick": ":1:31"}
	for mode, args := range map[string][]string{"": nil, "quick": {"-quick"}} {
		at := place[mode]
		run := func(more ...string) result { return execute("", append(args, more...)...) }
		for path, test := range map[string]struct {
			exit int
			want string
		}{
			"bad.mlir": {2, "bad.mlir" + at + ": error [invalid]"},
			"off":      {0, ""},
			"warning":  {0, "warning/bad.mlir" + at + ": warning [invalid]"},
			"path":     {2, "path/worse.mlir" + at + ": error [invalid]"},
			"comment":  {0, ""},
		} {
			check.Diff(t, mode+" "+path, test.want, strings.Join(run(path).briefs(t), "\n"))
			check.Diff(t, mode+" "+path+": exit status", test.exit, run(path).Exit)
		}
		run("-werror", "warning").holds(t, 2, "[invalid]")
		run("-rules", "outfeed", "bad.mlir").holds(t, 2, "[invalid]")
		run("-rules", "invalid", "bad.mlir").holds(t, 2, "[invalid]")
		run("-list").holds(t, 0, "ignore\t", "invalid\t")
	}
	execute("", "-explain", "invalid").holds(t, 0, "invalid: ", "Severity: error")

	// What is about the run, and not about a file, stays.
	baseline := []string{"-baseline", "b.json", "bad.mlir", "mistake", "none.mlir"}
	execute("", append([]string{"-write-baseline"}, baseline...)...).holds(t, 2, filepath.FromSlash("mistake/"),
		"none.mlir:1:1: error")
	check.Diff(t, "with the baseline", []string{"mistake/.mlir-lint.yaml:1:1: error [invalid]",
		"none.mlir:1:1: error [invalid]"}, execute("", baseline...).briefs(t))

	// An attribute says nothing about a module that has none.
	attribute := strings.Replace(clean, "@f()", `@f() attributes {mlir_lint.ignore = "invalid why"}`, 1)
	execute(attribute).holds(t, 0, "warning: findings of invalid are about no operation: ignore them by a comment, ")
	// One without effect is reported.
	execute("// mlir-lint:ignore invalid why\n"+clean).want(t, 0, "<stdin>:1:1: warning [ignore]")
}
