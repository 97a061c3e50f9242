package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestFiles(t *testing.T) {
	root := t.TempDir()
	check.NoError(t, os.Mkdir(filepath.Join(root, "a"), 0o755))
	check.NoError(t, os.WriteFile(filepath.Join(root, "a", "b.txt"), []byte("one\n"), 0o644))
	for name, test := range map[string]struct {
		files map[string][]byte
		want  string
	}{
		"equal":     {map[string][]byte{"a/b.txt": []byte("one\n")}, ""},
		"different": {map[string][]byte{"a/b.txt": []byte("two\n")}, "a/b.txt is not as expected (-want +got):"},
		"missing":   {map[string][]byte{"a/c.txt": nil}, "no such file"},
	} {
		r := &recorder{}
		check.Files(r, root, test.files, "as expected")
		if got := strings.Join(r.reports, "\n"); !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s: the report is %q, want it to say %q", name, got, test.want)
		}
	}
}

func TestRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.tsv")
	check.NoError(t, os.WriteFile(path, []byte("file\tkind\na\tgood\nb\t\n"), 0o644))
	check.Diff(t, "rows", []map[string]string{{"file": "a", "kind": "good"}, {"file": "b", "kind": ""}},
		check.Rows(t, path))
}
