package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestMeasure counts a package whose names are used across its files, shadowed, and declared once for each system.
func TestMeasure(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, name)
		check.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		check.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	write("go.mod", "module example.com/m\n\ngo 1.26\n")
	write("p/a.go", "package p\n\nimport \"example.com/m/q\"\n\ntype T struct{ size int }\n\nfunc (T) Size() int { return q.N + size() + limit }\n")
	write("p/b.go", "package p\n\nfunc size() int { return 1 }\n\nfunc shadow(T int) int { return T }\n")
	write("p/c_linux.go", "package p\n\nconst limit = 1\n")
	write("p/c_other.go", "package p\n\nconst limit = 2\n")
	write("p/a_test.go", "package p\n\nvar Test = size()\n")
	write("p/gen_d.go", "package p\n\nvar D = size()\n")
	write("p/testdata/e.go", "package e\n\nvar E = 1\n")
	write("q/q.go", "package q\n\nvar N = 1\n")
	module, err := moduleName(filepath.Join(root, "go.mod"))
	check.NoError(t, err)
	folders, err := sources(root)
	check.NoError(t, err)
	got := map[string]room{}
	for folder, files := range folders {
		if got[folder], err = measure(module, files); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]room{
		"p": {files: 4, lines: 7 + 5 + 3 + 3, exported: 2, imports: 1, arrows: 2},
		"q": {files: 1, lines: 3, exported: 1},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(room{})); d != "" {
		t.Error(d)
	}
}

// TestModuleName refuses a folder that is not the root of a module.
func TestModuleName(t *testing.T) {
	if _, err := moduleName(filepath.Join(t.TempDir(), "go.mod")); err == nil {
		t.Error("a folder without go.mod has a module name")
	}
}
