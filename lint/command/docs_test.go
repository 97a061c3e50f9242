package command_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestDocs checks that the manual has every flag and no other one, and that its configuration is valid.
func TestDocs(t *testing.T) {
	manual := string(check.Must(os.ReadFile("../../docs/mlir-lint.md")))
	help := execute("", "-h").Stdout
	flags := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^  (-[a-z-]+)`).FindAllStringSubmatch(help, -1) {
		flags[m[1]] = true
		if !regexp.MustCompile("[ `]" + m[1] + "[ `\n]").MatchString(manual) {
			t.Errorf("docs/mlir-lint.md does not mention %s", m[1])
		}
	}
	for _, m := range regexp.MustCompile("(?:mlir-lint|`) *(-[a-z-]+)").FindAllStringSubmatch(manual, -1) {
		if !flags[m[1]] {
			t.Errorf("docs/mlir-lint.md mentions %s, which is not a flag", m[1])
		}
	}
	_, example, ok := strings.Cut(manual, "```yaml\n# yaml-language-server")
	example, _, _ = strings.Cut(example, "```")
	config := writeFile(t, t.TempDir(), "c.yaml", "# "+example)
	if r := execute(clean, "-config", config); !ok || r.Exit != 0 {
		t.Errorf("the configuration in docs/mlir-lint.md: %s", r.Stderr)
	}
}
