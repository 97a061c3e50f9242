package command_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/doctest"
	"github.com/calliope-mlir/calliope/lint/command"
)

// TestFlagsInTexts holds that there is each flag that a text of the linter names.
func TestFlagsInTexts(t *testing.T) {
	named := regexp.MustCompile("[ ;,`](-[a-z][a-z-]+)\\b")
	for folder, least := range map[string]int{".": 30, "..": 1, "../rules": 3, "../fix": 0} {
		doctest.Flags(t, folder, named, least, command.HasFlag)
	}
	const page = "../../docs/mlir-lint.md"
	text := string(check.Must(os.ReadFile(page)))
	inDocs := regexp.MustCompile("`(-[a-z][a-z-]+)[` ]").FindAllStringSubmatch(text, -1)
	for _, m := range inDocs {
		if !command.HasFlag(m[1]) {
			t.Errorf("%s: there is no flag %s", page, m[1])
		}
	}
	if len(inDocs) < 20 {
		t.Errorf("%s names only %d flags", page, len(inDocs))
	}
	if command.HasFlag("-no-such-flag") || !command.HasFlag("-rules") {
		t.Error("HasFlag does not know the flags")
	}
}
