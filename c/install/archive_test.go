package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
)

// TestArchive links the archive with another one in Go, and has a program use both.
func TestArchive(t *testing.T) {
	folder := t.TempDir()
	ours, second := filepath.Join(folder, "libcalliope.a"), filepath.Join(folder, "libsecond.a")
	for path, source := range map[string]string{ours: "../../c/shared", second: "./testdata/second"} {
		check.Must(run("go", "build", "-buildmode=c-archive", "-o", path, source))
	}
	link := func(name string) error {
		_, err := run("cc", "-Wall", "-Wextra", "-Werror", "-I../include", "-o", filepath.Join(folder, name),
			"testdata/both.c", ours, second, "-ldl", "-lm", "-lpthread", "-lresolv")
		return err
	}
	check.Error(t, link("clash"), "multiple definition of")
	check.NoError(t, localize(ours, true))
	for line := range strings.Lines(check.Must(run("nm", "--extern-only", "--defined-only", ours))) {
		if f := strings.Fields(line); len(f) == 3 && !strings.HasPrefix(f[2], "calliope_") {
			t.Errorf("the global name %s is left", f[2])
		}
	}
	check.NoError(t, link("both"))
	want := "runtime error: invalid memory address or nil pointer dereference\n" +
		`5: calliope: calliope_unregister: no callback "nobody" is registered in the default registry`
	check.Diff(t, "output", want, check.Must(run(filepath.Join(folder, "both"))))
}
