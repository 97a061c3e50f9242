package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestArchive links the archive alone, and with another one in Go, and has programs use them.
func TestArchive(t *testing.T) {
	folder := t.TempDir()
	ours, second := filepath.Join(folder, "libcalliope.a"), filepath.Join(folder, "libsecond.a")
	for path, source := range map[string]string{ours: "../../c/shared", second: "./testdata/second"} {
		check.Must(run("go", "build", "-buildmode=c-archive", "-trimpath", "-ldflags=-w", "-o", path, source))
	}
	link := func(name string, files ...string) error {
		args := []string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-I../include", "-o",
			filepath.Join(folder, name)}
		_, err := run("cc", append(append(args, files...), "-ldl", "-lm", "-lpthread", "-lresolv")...)
		return err
	}
	both := []string{"testdata/both.c", ours, second}
	check.Error(t, link("clash", both...), "multiple definition of")
	check.NoError(t, localize(ours, true))
	for line := range strings.Lines(check.Must(run("nm", "--extern-only", "--defined-only", ours))) {
		if f := strings.Fields(line); len(f) == 3 && !strings.HasPrefix(f[2], "calliope_") {
			t.Errorf("the global name %s is left", f[2])
		}
	}
	check.NoError(t, link("both", both...))
	want := "runtime error: invalid memory address or nil pointer dereference\n" +
		`5: calliope: calliope_unregister: no callback "nobody" is registered in the default registry`
	check.Diff(t, "output", want, check.Must(run(filepath.Join(folder, "both"))))

	calls := filepath.Join("..", "shared", "testdata", "calls")
	check.NoError(t, link("calls", calls+".c", ours))
	want = strings.TrimSpace(string(check.Must(os.ReadFile(calls + ".txt"))))
	check.Diff(t, "calls", want, check.Must(run(filepath.Join(folder, "calls"), "5")))
}
