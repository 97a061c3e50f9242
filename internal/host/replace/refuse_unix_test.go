//go:build unix

package replace

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// What is not a regular file that may be written stays as it is.
func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	file := func(name string, mode os.FileMode) { check.NoError(t, os.WriteFile(in(name), []byte("old"), mode)) }
	file("readonly", 0o444)
	file("linked", 0o644)
	check.NoError(t, os.Link(in("linked"), in("other")))
	check.NoError(t, syscall.Mkfifo(in("pipe"), 0o644))
	check.NoError(t, os.Symlink(in("pipe"), in("link")))
	check.NoError(t, os.Symlink(in("absent"), in("broken")))
	check.NoError(t, os.Mkdir(in("folder"), 0o755))
	check.NoError(t, os.WriteFile(in("folder/file"), []byte("old"), 0o644))
	check.NoError(t, os.Chmod(in("folder"), 0o555))
	t.Cleanup(func() { check.NoError(t, os.Chmod(in("folder"), 0o755)) })
	for _, test := range []struct {
		name, want string
		inPlace    bool // only File refuses it
	}{
		{"readonly", "it is read-only: make it writable", false},
		{"pipe", "it is not a regular file", false},
		{"link", "it is not a regular file", false},
		{"folder", "it is not a regular file", false},
		{"/dev/full", "it is not a regular file", false},
		{"broken", "it is a symbolic link to a file that does not exist", false},
		{"absent/file", "no such file or directory", false},
		{"linked", "it has 2 names (hard links), and the others would keep the old content", true},
		{"folder/file", "folder is read-only: make it writable", true},
	} {
		path := test.name
		if !filepath.IsAbs(path) {
			path = in(path)
		}
		check.Error(t, File(path, func(io.Writer) error { t.Errorf("%s: it is written", test.name); return nil }),
			test.want)
		check.Error(t, Check(path), test.want)
		f, err := Create(path)
		if test.inPlace {
			check.NoError(t, err)
			check.NoError(t, f.Close())
		} else {
			check.Error(t, err, test.want)
		}
	}
	check.Diff(t, "files", 7, len(check.Must(os.ReadDir(dir))))
}
