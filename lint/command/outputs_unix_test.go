//go:build linux || darwin

package command_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// Reports that are endless, pipes without a writer, and outputs that are no regular files.
func TestHostileReports(t *testing.T) {
	dir := t.TempDir()
	good := writeFile(t, dir, "good.mlir", hook)
	pipe := filepath.Join(dir, "pipe")
	check.NoError(t, syscall.Mkfifo(pipe, 0o600))
	readOnly := writeFile(t, dir, "readonly", "{}")
	check.NoError(t, os.Chmod(readOnly, 0o444))
	huge := writeFile(t, dir, "huge", "")
	check.NoError(t, os.Truncate(huge, 1<<40)) // it takes no room on the disk
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-baseline", "/dev/zero", good}, "/dev/zero: it is not a regular file"},
		{[]string{"-baseline", pipe, good}, "pipe: it is not a regular file"},
		{[]string{"-baseline", huge, good}, "it takes 1TiB, and the limit is 1GiB"},
		{[]string{"merge-sarif", "/dev/zero"}, "/dev/zero cannot be read: it is not a regular file"},
		{[]string{"merge-baselines", pipe}, "pipe cannot be read: it is not a regular file"},
		{[]string{"merge-sarif", huge}, "huge cannot be read: it takes 1TiB, and the limit is 1GiB"},
		{[]string{"-write-baseline", "-baseline", "/dev/full", good},
			"writing the baseline: write /dev/full: it is not a regular file"},
		{[]string{"-write-baseline", "-baseline", pipe, good}, "pipe: it is not a regular file"},
		{[]string{"-write-baseline", "-baseline", readOnly, good}, "readonly: it is read-only: make it writable"},
	} {
		execute("", test.args...).holds(t, 2, test.want)
	}
}

// A file with two names is not repaired, because the other one would keep the old text.
func TestFixHardLink(t *testing.T) {
	dir := t.TempDir()
	path := writeFile(t, dir, "a.mlir", unmarked)
	check.NoError(t, os.Link(path, filepath.Join(dir, "b.mlir")))
	executeWith(everything, "", "-rules", "marks", "-fix", path).holds(t, 2,
		"a.mlir:1:1: error: cannot be written: it has 2 names (hard links), and the others would keep the old content: copy it")
	check.Diff(t, "file", unmarked, readFile(t, path))
}
