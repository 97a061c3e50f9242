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

// To read a library takes up to a second, to open it some milliseconds. So it is read
// once, and what the system tells of the very files that were read is kept beside it:
// until that changes, they have not changed.

// state tells a file from a changed one without reading it. The system sets the time of
// the last change itself: unlike that of the modification, no program can set it back.
func state(f file, info fs.FileInfo) string {
	s := stampOf(info)
	return fmt.Sprintf("%s sha256 %s size %d modified %d changed %d inode %d\n", f.Name, f.SHA256, s.size, s.modified, s.changed, s.inode)
}

// stamp is what state says of a file, without a name.
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

// knownRecord is the slot's record, which info describes. It is read where it is new.
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
	// verified has the states of the files that this process knows to be whole, by
	// the path of the library: where the cache cannot be written, nothing else does.
	verified sync.Map
	// verifying lets one goroutine at a time read a library.
	verifying sync.Mutex
)

// expected lists the files that the slot is to have. The pinned hashes count for more
// than the recorded ones.
func (sl slot) expected(r record, b build) []file {
	files := r.files(filepath.Base(sl.library))
	for i := range files {
		if pinned, ok := b.files[files[i].Name]; ok {
			files[i].SHA256 = pinned
		}
	}
	return files
}

// states describes the files as they are now. problem says what is wrong with one of
// them, in words.
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

// verify makes sure that the files are whole. It reads them only where they are not
// known to be.
func (sl slot) verify(files []file) (problem string, err error) {
	now, problem, err := sl.states(files)
	if problem != "" || err != nil || sl.known(now) {
		return problem, err
	}
	verifying.Lock()
	defer verifying.Unlock()
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

// read reads the files and says what differs from what is expected, "" for nothing.
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

// known reports whether files in these states are known to be whole.
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

// keep makes known that files in these states are whole. A file that is half written,
// or not at all, only has them read again.
func (sl slot) keep(states string) {
	verified.Store(sl.library, states)
	_ = os.Remove(sl.verified) // others may write to the old one, and so nobody trusts it
	_ = os.WriteFile(sl.verified, []byte(states), 0o644)
}

// forget has the files read by whoever finds them next.
func (sl slot) forget() error {
	verified.Delete(sl.library)
	return os.RemoveAll(sl.verified)
}
