package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

var (
	testName     = regexp.MustCompile(`\b(Test|Example|Fuzz)[A-Z][A-Za-z0-9_]*|\bExample_?[a-z]*\b`)
	testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Example|Fuzz)\w*)\(`)
)

// TestFeatureTables holds that the tests which the tables name exist, and that a row
// without one says why.
func TestFeatureTables(t *testing.T) {
	check.NoRaces(t)
	exists := testFunctions(t)
	for file, least := range map[string]int{"callbacks-features.md": 40, "effects.md": 14, "embedding.md": 25,
		"jax.md": 20, "legacy.md": 50, "mlir-features.md": 40} {
		t.Run(file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "docs", file))
			check.NoError(t, err)
			rows, header := 0, ""
			for line := range strings.Lines(string(text)) {
				cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
				if !strings.HasPrefix(line, "|") {
					header = ""
					continue
				}
				if header == "" || strings.HasPrefix(line, "|---") {
					header = line
					continue
				}
				if strings.Count(header, "|") != 4 {
					continue // it is a table of something else
				}
				rows++
				if len(cells) != 3 {
					t.Errorf("%q has %d cells, want 3", line, len(cells))
					continue
				}
				checkRow(t, exists, cells[1], cells[2])
			}
			if rows < least {
				t.Errorf("only %d rows were found", rows)
			}
		})
	}
}

func checkRow(t *testing.T, exists map[string]bool, ours, tests string) {
	t.Helper()
	names := testName.FindAllString(tests, -1)
	for _, name := range names {
		if !exists[name] {
			t.Errorf("%q: there is no %s", strings.TrimSpace(ours), name)
		}
	}
	if reason, none := strings.CutPrefix(strings.TrimSpace(ours), "none"); strings.TrimSpace(tests) == "" &&
		(!none || len(reason) < 10) {
		t.Errorf("%q has no test, and no reason", strings.TrimSpace(ours))
	}
}

// testFunctions are those of the whole tree.
func testFunctions(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range testFunction.FindAllSubmatch(text, -1) {
			found[string(m[1])] = true
		}
		return err
	})
	check.NoError(t, err)
	return found
}
