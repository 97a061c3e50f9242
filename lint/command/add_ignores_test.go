package command_test

import (
	"os"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestAddIgnores adds comments, after which another run finds nothing.
func TestAddIgnores(t *testing.T) {
	crlf := "\ufeff" + strings.ReplaceAll(outfeeds, "\n", "\r\n")
	tree(t, map[string]string{"a.mlir": outfeeds, "b.mlir": crlf, "c.mlirbc": bytecode(t, outfeeds), "d.mlir": clean})
	r := withFew("", "-add-ignores", "served by the old runtime", ".")
	r.holds(t, 1, "c.mlirbc", "[outfeed]", "a.mlir: findings ignored: ", "b.mlir: findings ignored: ")
	for _, gone := range []string{"a.mlir:", "b.mlir:", "d.mlir"} {
		if strings.Contains(r.Stdout, gone) {
			t.Errorf("%s is in the report:\n%s", gone, r.Stdout)
		}
	}
	withFew("", "-werror", "a.mlir", "b.mlir").want(t, 0)
	for file, before := range map[string]string{"a.mlir": outfeeds, "b.mlir": crlf} {
		after := string(check.Must(os.ReadFile(file)))
		var rest strings.Builder
		for line := range strings.Lines(after) {
			if !strings.Contains(line, "// mlir-lint:ignore ") {
				rest.WriteString(line)
			} else if want := " served by the old runtime"; !strings.HasSuffix(strings.TrimRight(line, "\r\n"), want) {
				t.Errorf("the comment %q has another reason", line)
			}
			if file == "b.mlir" && !strings.HasSuffix(line, "\r\n") {
				t.Errorf("the line %q has another end", line)
			}
		}
		check.Diff(t, "the other lines", strings.TrimPrefix(before, "\ufeff"),
			strings.TrimPrefix(rest.String(), "\ufeff"))
	}
	before := check.Must(os.ReadFile("a.mlir"))
	withFew("", "-add-ignores", "again", "a.mlir").want(t, 0)
	check.Diff(t, "a.mlir", string(before), string(check.Must(os.ReadFile("a.mlir"))))
	for _, reason := range []string{" ", "one\ntwo", "one\rtwo"} {
		execute("", "-add-ignores", reason, "c.mlirbc").holds(t, 2, "needs a reason of one line")
	}
	for _, args := range [][]string{{"-fix", "a.mlir"}, {"-baseline", "b.json", "a.mlir"}, {"-"}, nil} {
		execute("", append([]string{"-add-ignores", "x"}, args...)...).holds(t, 2, "give paths, and leave out")
	}
}
