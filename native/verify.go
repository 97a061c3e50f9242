package native

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Reading a library takes up to a second, opening it some milliseconds. So a library is
// read once, and the file system's state of the files that were read is stored next to it.
// As long as this state is the same, the files have not changed.

// state describes a file so that a change is visible without reading the file. The system
// sets the time of the last status change itself: unlike the modification time, no program
// can set it back.
func state(f file, info fs.FileInfo) string {
	s := stampOf(info)
	return fmt.Sprintf("%s sha256 %s size %d modified %d changed %d inode %d\n", f.Name, f.SHA256, s.size, s.modified,
		s.changed, s.inode)
}

// stamp is the state of a file, without a name.
type stamp struct {
	inode                   uint64
	size, modified, changed int64
}

func stampOf(info fs.FileInfo) stamp {
	inode, changed := identity(info)
	return stamp{inode, info.Size(), info.ModTime().UnixNano(), changed}
}

// records has the records that this process has read, by path.
var records sync.Map

type knownRecord struct {
	stamp  stamp
	record record
}

// knownRecord returns the slot's record, which info describes. It reads a record that it
// does not know yet.
func (sl slot) knownRecord(info fs.FileInfo) (record, error) {
	now := stampOf(info)
	if k, ok := records.Load(sl.record); ok && k.(knownRecord).stamp == now {
		return k.(knownRecord).record, nil
	}
	r, err := readRecord(sl.record)
	if err == nil {
		records.Store(sl.record, knownRecord{now, r})
	}
	return r, err
}

var (
	// verified has the states of the files that this process has verified, by the path of
	// the library. If the cache is not writable, they are stored only here.
	verified sync.Map
	// verifying lets one goroutine at a time read a library: a *sync.Mutex by its path.
	verifying sync.Map
)

// expected lists the files that the slot should have. Pinned hashes take precedence over
// recorded ones.
func (sl slot) expected(r record, b build) []file {
	files := r.files(filepath.Base(sl.library))
	for i := range files {
		if pinned, ok := b.files[files[i].Name]; ok {
			files[i].SHA256 = pinned
		}
	}
	return files
}

// states describes the files as they are now. problem says what is wrong with one of them.
func (sl slot) states(files []file) (states, problem string, err error) {
	var b strings.Builder
	for _, f := range files {
		info, err := trusted(filepath.Dir(sl.dir), filepath.Join(sl.dir, f.Name))
		switch {
		case errors.As(err, new(*UnsafeError)):
			return "", "", err
		case err != nil:
			return "", "damaged: " + err.Error(), nil
		case !info.Mode().IsRegular() || info.Size() != f.Size:
			return "", fmt.Sprintf("damaged: %s has %d bytes instead of %d", f.Name, info.Size(), f.Size), nil
		}
		b.WriteString(state(f, info))
	}
	return b.String(), "", nil
}

// verify checks that the files are complete. It reads them only if their state is not known
// to be good.
func (sl slot) verify(files []file) (problem string, err error) {
	now, problem, err := sl.states(files)
	if problem != "" || err != nil || sl.known(now) {
		return problem, err
	}
	lock, _ := verifying.LoadOrStore(sl.library, new(sync.Mutex))
	lock.(*sync.Mutex).Lock()
	defer lock.(*sync.Mutex).Unlock()
	if sl.known(now) {
		return "", nil // another goroutine has read them meanwhile
	}
	if problem = sl.read(files); problem != "" {
		return problem, nil
	}
	after, problem, err := sl.states(files)
	if problem == "" && after != now {
		problem = "damaged: it changed while it was read"
	}
	if problem == "" && err == nil {
		sl.keep(after)
	}
	return problem, err
}

// read reads the files and says how they differ from what is expected. It returns "" if
// they do not differ.
func (sl slot) read(files []file) (problem string) {
	for _, f := range files {
		got, err := hashFile(filepath.Join(sl.dir, f.Name))
		switch {
		case err != nil:
			return "damaged: " + err.Error()
		case got != f.SHA256:
			return fmt.Sprintf("damaged: %s has the sha256 %s instead of %s", f.Name, got, f.SHA256)
		}
	}
	return ""
}

// known reports whether files in these states were verified.
func (sl slot) known(states string) bool {
	if v, ok := verified.Load(sl.library); ok && v == states {
		return true
	}
	if _, err := trusted(filepath.Dir(sl.dir), sl.verified); err != nil {
		return false
	}
	kept, err := os.ReadFile(sl.verified)
	if err != nil || !bytes.Equal(kept, []byte(states)) {
		return false
	}
	verified.Store(sl.library, states)
	return true
}

// keep stores that files in these states were verified. If it is stored only partly or not
// at all, the files are read again.
func (sl slot) keep(states string) {
	verified.Store(sl.library, states)
	_ = os.Remove(sl.verified) // the old one is not trusted if other users may write to it
	_ = os.WriteFile(sl.verified, []byte(states), 0o644)
}

// forget makes the next Find read the files.
func (sl slot) forget() error {
	verified.Delete(sl.library)
	return os.RemoveAll(sl.verified)
}
