package command

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
)

// A failing file fails in one of its calls.
type failing struct {
	temporary
	call string
	err  error
}

func (f failing) Write(b []byte) (int, error) {
	if f.call == "write" {
		n, _ := f.temporary.Write(b[:len(b)/2])
		return n, f.err
	}
	return f.temporary.Write(b)
}

func (f failing) Chmod(mode os.FileMode) error {
	if f.call == "chmod" {
		return f.err
	}
	return f.temporary.Chmod(mode)
}

func (f failing) Sync() error {
	if f.call == "sync" {
		return f.err
	}
	return f.temporary.Sync()
}

func (f failing) Close() error {
	err := f.temporary.Close()
	if f.call == "close" {
		return f.err
	}
	return err
}

// After a failure in any call the file is as it was, and nothing is beside it.
func TestReplaceFails(t *testing.T) {
	full := errors.New("no space left on device")
	for _, call := range []string{"create", "write", "chmod", "sync", "close", "rename", ""} {
		t.Run(call, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.mlir")
			check.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
			d := osDisk()
			d.create = func(folder, pattern string) (temporary, error) {
				if call == "create" {
					return nil, &os.PathError{Op: "open", Path: pattern, Err: full}
				}
				f, err := os.CreateTemp(folder, pattern)
				return failing{f, call, full}, err
			}
			if call == "rename" {
				d.rename = func(from, to string) error { return &os.LinkError{Op: "rename", Old: from, New: to, Err: full} }
			}
			err := d.replace(path, sha256.Sum256([]byte("old")), []byte("new text"))
			want := "old"
			if call == "" {
				want = "new text"
				check.NoError(t, err)
			} else {
				check.Text(t, err, "no space left on device")
			}
			check.Diff(t, "file", want, string(check.Must(os.ReadFile(path))))
			check.Diff(t, "files", 1, len(check.Must(os.ReadDir(filepath.Dir(path)))))
		})
	}
}

// Only regular files are replaced, and only if they are as they were read.
func TestReplaceRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.mlir")
	check.NoError(t, os.WriteFile(path, []byte("new"), 0o600))
	old, data := sha256.Sum256([]byte("old")), []byte("new")
	check.NoError(t, osDisk().replace(path, old, data)) // it has the content already
	if err := osDisk().replace(path, old, []byte("newer")); !errors.Is(err, errChanged) {
		t.Errorf("the error is %v", err)
	}
	check.Text(t, osDisk().replace(dir, old, data), "it is not a regular file")
	if err := osDisk().replace(filepath.Join(dir, "b.mlir"), old, data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
	check.Diff(t, "files", 1, len(check.Must(os.ReadDir(dir))))
	err := settings{disk: osDisk()}.put(input{Name: "pipe"}, &mended{Changed: true}, &outcome{})
	check.Text(t, err, "it is not a regular file")
}
