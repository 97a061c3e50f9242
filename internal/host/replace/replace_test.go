package replace

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
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
				d.rename = func(from, to string) error {
					return &os.LinkError{Op: "rename", Old: from, New: to, Err: full}
				}
			}
			err := d.replaceIf(path, sha256.Sum256([]byte("old")), []byte("new text"))
			want := "old"
			if call == "" {
				want = "new text"
				check.NoError(t, err)
			} else {
				check.Error(t, err, "no space left on device")
			}
			check.Diff(t, "file", want, string(check.Must(os.ReadFile(path))))
			check.Diff(t, "files", 1, len(check.Must(os.ReadDir(filepath.Dir(path)))))
		})
	}
}

// If replaces a file only if it is as it was read.
func TestIf(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.mlir")
	check.NoError(t, os.WriteFile(path, []byte("new"), 0o600))
	old, data := sha256.Sum256([]byte("old")), []byte("new")
	check.NoError(t, If(path, old, data)) // it has the content already
	if err := If(path, old, []byte("newer")); !errors.Is(err, ErrChanged) {
		t.Errorf("the error is %v", err)
	}
	if err := If(filepath.Join(dir, "b.mlir"), old, data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
	check.Diff(t, "files", 1, len(check.Must(os.ReadDir(dir))))
}

// File makes a file with the usual permissions.
func TestNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new")
	check.NoError(t, Check(path))
	check.NoError(t, File(path, func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }))
	check.Diff(t, "file", "text", string(check.Must(os.ReadFile(path))))
	check.Diff(t, "mode", fs.FileMode(0o644), check.Must(os.Stat(path)).Mode())
}
