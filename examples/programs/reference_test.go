package programs_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReference checks that JAX and NumPy computed the outputs against which the examples
// are checked.
func TestReference(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "reference.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for section := range strings.SplitSeq("\n"+string(data), "\n# ") {
		name, lines, _ := strings.Cut(section, "\n")
		if name != "" {
			want[name] = strings.TrimSuffix(lines, "\n") + "\n"
		}
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, example := range doc.Examples([]*ast.File{file}...) {
			got[strings.TrimPrefix(example.Name, "_")] = example.Output
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outputs of the examples (-reference.txt +examples):\n%s", diff)
	}
}
