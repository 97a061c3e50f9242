package command

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
		create: func(folder, pattern string) (temporary, error) { return os.CreateTemp(folder, pattern) },
		rename: os.Rename,
	}
}

// errChanged is the error for a file that is not what was read.
var errChanged = errors.New("it changed while it was repaired: run the command again")

// replace replaces the content of a file, whose checksum was the given one, as a whole: a reader
// sees the old or the new file, also after a crash. The file keeps its permissions and, if the user
// may do this, its owner. Of a symbolic link, replace replaces the target. After an error the file
// is as it was.
func (d disk) replace(path string, was [sha256.Size]byte, data []byte) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return inner(err)
	}
	info, err := os.Stat(target)
	if err != nil {
		return inner(err)
	}
	folder := filepath.Dir(target)
	if !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	if info.Mode().Perm()&0o222 == 0 { // root could write it
		return errors.New("it is read-only: make it writable, or see with -diff what would change")
	}
	if in, err := os.Stat(folder); err != nil {
		return inner(err)
	} else if in.Mode().Perm()&0o222 == 0 && runtime.GOOS != "windows" { // where it says nothing about a folder
		return fmt.Errorf("the folder %s is read-only: make it writable, or see with -diff what would change", folder)
	}
	// The name is not that of a module, so that no check of the folder takes it for one.
	f, err := d.create(folder, "."+filepath.Base(target)+".*.tmp")
	if err != nil {
		return inner(err)
	}
	if err := errors.Join(fill(f, info, data), f.Close()); err != nil {
		return errors.Join(inner(err), os.Remove(f.Name()))
	}
	now, err := sumOf(target)
	if err == nil && now != was {
		err = errChanged
		if now == sha256.Sum256(data) { // repaired under another name
			return os.Remove(f.Name())
		}
	}
	if err == nil {
		err = d.rename(f.Name(), target)
	}
	if err != nil {
		return errors.Join(inner(err), os.Remove(f.Name()))
	}
	return nil
}

// fill writes the data and everything else that the file must have.
func fill(f temporary, old fs.FileInfo, data []byte) error {
	if _, err := f.Write(data); err != nil {
		return err
	}
	keepOwner(f, old)
	if err := f.Chmod(old.Mode().Perm()); err != nil {
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

// inner returns the cause of an error about a path, because the finding names the file.
func inner(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}
