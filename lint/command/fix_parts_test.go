package command_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestFixSplit repairs the parts of a file in place: each as it is repaired alone.
func TestFixSplit(t *testing.T) {
	const (
		fine  = "// fine\nfunc.func @f() { return } // é\n"
		wrong = "nonsense // why\n"
	)
	hidden := strings.Replace(left, "  %dead = stablehlo.create_token : !stablehlo.token\n", "", 1)
	fixed := func(text string) string { return execute(text, "-fix").Stdout }
	// hooks is hook, repaired with so many lines before it.
	hooks := func(lines string) string {
		return strings.TrimLeft(strings.ReplaceAll(fixed(lines+hook), "<stdin>", "a.mlir"), "\n")
	}
	for _, test := range []struct {
		name, text, want string
		exit             int
		output           []string
	}{
		{"two parts", unused + marker + fine + marker + unused,
			fixed(unused) + marker + fine + marker + fixed(unused), 0,
			[]string{"a.mlir: findings repaired: 2\n"}},
		{"hooks", fine + marker + "\n" + hook, fine + marker + "\n" + hooks("\n\n\n\n"), 0,
			[]string{"a.mlir: findings repaired: 2\n"}},
		{"CRLF", strings.ReplaceAll(fine+marker+hook, "\n", "\r\n"),
			strings.ReplaceAll(fine+marker+hooks("\n\n\n"), "\n", "\r\n"), 0, nil},
		{"an invalid part", unused + marker + wrong + marker + unused,
			fixed(unused) + marker + wrong + marker + fixed(unused), 2,
			[]string{"a.mlir:3:1: error: ", "[invalid]\n", "a.mlir: findings repaired: 2\n"}},
		{"nothing", fine + marker + fine, fine + marker + fine, 0, nil},
		{"something is left", unused + marker + left, "", 1,
			[]string{"a.mlir:5:8: error: stablehlo.create_token ", "a.mlir: not written, because not everything"}},
		{"only invalid", wrong, "", 2, []string{"[invalid]\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree(t, map[string]string{"a.mlir": test.text})
			execute("", "-fix", "-split-input-file", "a.mlir").holds(t, test.exit, test.output...)
			if test.want == "" {
				test.want = test.text
			}
			check.Diff(t, "text", test.want, readFile(t, "a.mlir"))
		})
	}
	tree(t, map[string]string{"a.mlir": unused + marker + left})
	execute("", "-fix-partial", "-split-input-file", "a.mlir").holds(t, 1, "a.mlir: findings repaired: 2\n")
	check.Diff(t, "text", fixed(unused)+marker+hidden, readFile(t, "a.mlir"))
	execute(fine+marker+unused, "-diff", "-split-input-file").holds(t, 1,
		"@@ -1,4 +1,4 @@\n // fine\n", "\n-"+unused, "+"+fixed(unused))
}
