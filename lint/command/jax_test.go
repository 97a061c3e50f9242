package command_test

import (
	"archive/zip"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestJAX checks functions that JAX 0.12 lowered, in each form (testdata/jax12.py): nothing in them is an error or
// invalid, nothing is found in functions without callbacks, and the findings do not depend on the form.
func TestJAX(t *testing.T) {
	archive := check.Must(zip.OpenReader("testdata/jax12.zip"))
	defer archive.Close()
	dir := t.TempDir()
	for _, f := range archive.File {
		r := check.Must(f.Open())
		check.NoError(t, os.WriteFile(filepath.Join(dir, f.Name), check.Must(io.ReadAll(r)), 0o644))
		check.NoError(t, r.Close())
	}
	if len(archive.File) != 124 {
		t.Errorf("there are %d files", len(archive.File))
	}
	r := execute("", dir)
	r.holds(t, 0)
	found := map[string][]string{}
	for at, lines := range linesOf(r.Stdout) {
		file, rule, _ := strings.Cut(filepath.Base(at), " ")
		for range lines {
			found[file] = append(found[file], rule)
		}
	}
	for _, rules := range found {
		slices.Sort(rules)
	}
	want := map[string][]string{}
	for name, rules := range map[string][]string{
		"condition_print": {"callback-binding", "callback-in-loop", "xla-deviates"},
		"debug_ordered":   {"callback-binding", "callback-binding", "token-value"},
		"debug_print":     {"callback-binding"},
		"io_callback":     {"callback-binding", "token-value"},
		"loop_print":      {"callback-binding", "callback-in-loop"},
		"pure_callback":   {"callback-binding"},
	} {
		want[name+".mlir"], want[name+".loc.mlir"] = rules, rules
	}
	check.Diff(t, "the files with findings", slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(found)))
	check.Diff(t, "the rules by file", want, found)
}
