// Package replace writes files that may exist already. It replaces regular files that the user
// may write, and nothing else.
package replace

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// File writes a file as a whole: a reader sees the old or the new file, also after a crash. An
// existing file keeps its permissions and, if the user may do this, its owner. Of a symbolic link,
// File replaces the target. After an error the file is as it was.
func File(path string, write func(io.Writer) error) error {
	return osDisk().replace(path, write, func(string) (bool, error) { return true, nil })
}

// If replaces a file whose checksum is still the given one, as File does. It returns ErrChanged for
// another content, except data.
func If(path string, was [sha256.Size]byte, data []byte) error {
	return osDisk().replaceIf(path, was, data)
}

// ErrChanged is the error for a file that is not what was read.
var ErrChanged = errors.New("it changed while it was repaired: run the command again")

// ErrReadOnly is the error for a file or a folder without permission to write. Root could write it.
var ErrReadOnly = errors.New("is read-only: make it writable")

// Create opens a file to write it in place, if File would replace it: for content that must not
// wait for the end.
func Create(path string) (*os.File, error) {
	if _, err := find(path); err != nil {
		return nil, err
	}
	return os.Create(path)
}

// Check reports why File would not replace a file.
func Check(path string) error {
	t, err := find(path)
	if err == nil {
		err = t.checkReplace()
	}
	return err
}

// A target is the file to write.
type target struct {
	path string
	info fs.FileInfo // nil if there is no file
}

func refused(path string, err error) error { return &fs.PathError{Op: "write", Path: path, Err: err} }

// find returns the target, which is a regular file or does not exist.
func find(path string) (target, error) {
	t := target{path: path}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return t, refused(path, errors.New("it is a symbolic link to a file that does not exist"))
		}
		return t, nil
	}
	if err != nil {
		return t, err
	}
	t.path = real
	if t.info, err = os.Stat(real); err != nil {
		return t, err
	}
	switch {
	case !t.info.Mode().IsRegular():
		return t, refused(path, errors.New("it is not a regular file"))
	case t.info.Mode().Perm()&0o222 == 0:
		return t, refused(path, fmt.Errorf("it %w", ErrReadOnly))
	}
	return t, nil
}

// checkReplace refuses to put another file in the place of the target.
func (t target) checkReplace() error {
	folder := filepath.Dir(t.path)
	in, err := os.Stat(folder)
	switch {
	case err != nil:
		return err
	case in.Mode().Perm()&0o222 == 0 && runtime.GOOS != "windows": // where it says nothing about a folder
		return refused(t.path, fmt.Errorf("the folder %s %w", folder, ErrReadOnly))
	case t.info != nil && links(t.info) > 1:
		return refused(t.path, fmt.Errorf("it has %d names (hard links), and the others would keep the old content: copy it to a file of its own", links(t.info)))
	}
	return nil
}

// A disk has the calls that replace a file, which tests make fail.
type disk struct {
	create func(folder, pattern string) (temporary, error)
	rename func(from, to string) error
}

// A temporary is a file that is to replace another one.
type temporary interface {
	io.WriteCloser
	Name() string
	Chmod(fs.FileMode) error
	Chown(user, group int) error
	Sync() error
}

// osDisk returns the disk of the operating system.
func osDisk() disk {
	return disk{
		create: func(folder, pattern string) (temporary, error) {
			f, err := os.CreateTemp(folder, pattern)
			if err == nil {
				hold(f)
			}
			return f, err
		},
		rename: os.Rename,
	}
}

func (d disk) replaceIf(path string, was [sha256.Size]byte, data []byte) error {
	write := func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
	return d.replace(path, write, func(target string) (bool, error) {
		now, err := sumOf(target)
		switch {
		case err != nil || now == was:
			return err == nil, err
		case now == sha256.Sum256(data): // it was replaced under another name
			return false, nil
		}
		return false, ErrChanged
	})
}

// replace is File. Once the new file is written, due decides whether it takes the place of the
// target.
func (d disk) replace(path string, write func(io.Writer) error, due func(target string) (bool, error)) error {
	t, err := find(path)
	if err == nil {
		err = t.checkReplace()
	}
	if err != nil {
		return err
	}
	// The name is not that of a module, so that no check of the folder takes it for one.
	f, err := d.create(filepath.Dir(t.path), prefix(t.path)+"*"+suffix)
	if err != nil {
		return err
	}
	err = errors.Join(fill(f, t.info, write), f.Close())
	replaces := false
	if err == nil {
		replaces, err = due(t.path)
	}
	if replaces {
		err = d.rename(f.Name(), t.path)
	}
	if err != nil || !replaces {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// fill writes the content and everything else that the file must have. old is nil if it is new.
func fill(f temporary, old fs.FileInfo, write func(io.Writer) error) error {
	if err := write(f); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if old != nil {
		keepOwner(f, old)
		mode = old.Mode().Perm()
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	return f.Sync()
}

func sumOf(path string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}
