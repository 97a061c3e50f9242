package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Files reports each file below root that does not hold what it should: files are contents
// by slash-separated names, and what says what they are, "what `go generate` makes".
func Files(t testing.TB, root string, files map[string][]byte, what string) {
	t.Helper()
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
			continue
		}
		if d := cmp.Diff(string(want), string(have)); d != "" {
			t.Errorf("%s is not %s (-want +got):\n%.2000s", name, what, d)
		}
	}
}

// Rows reads a table of tab-separated values: for each line after the first, its values by
// the names that the first line gives the columns.
func Rows(t testing.TB, path string) (rows []map[string]string) {
	t.Helper()
	data, err := os.ReadFile(path)
	NoError(t, err)
	var columns []string
	for line := range strings.Lines(string(data)) {
		values := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if columns == nil {
			columns = values
			continue
		}
		if len(values) != len(columns) {
			t.Fatalf("%s has a row of %d values and %d columns: %.60s", path, len(values), len(columns), line)
		}
		row := map[string]string{}
		for i, name := range columns {
			row[name] = values[i]
		}
		rows = append(rows, row)
	}
	return rows
}
