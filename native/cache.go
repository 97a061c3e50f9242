package native

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// cacheEnv is the environment variable that sets the cache folder.
const cacheEnv = "CALLIOPE_CACHE"

// CacheDir returns the absolute path of the folder that holds fetched libraries:
// $CALLIOPE_CACHE if it is set, and otherwise "calliope" in [os.UserCacheDir]. The folder
// need not exist.
func CacheDir() (string, error) {
	if dir := os.Getenv(cacheEnv); dir != "" {
		// A relative path would mean a different cache, and another download, in each
		// folder that a test or tool runs in.
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("native: %s is %q, a relative path: set it to an absolute one", cacheEnv, dir)
		}
		return filepath.Clean(dir), nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", &noCacheError{err}
	}
	return filepath.Join(dir, "calliope"), nil
}

// A noCacheError says that the system names no folder for the cache.
type noCacheError struct{ err error }

func (e *noCacheError) Error() string { return "native: " + e.reason() }

func (e *noCacheError) Unwrap() error { return e.err }

func (e *noCacheError) reason() string {
	return fmt.Sprintf("no folder for the cache is known (%v): set %s to an absolute path", e.err, cacheEnv)
}

// slot is the location of one build of one part in the cache.
type slot struct {
	dir      string // the build's own folder
	library  string // the shared library in it
	record   string // describes the library; written last, so it marks a complete slot
	verified string // the states of the files that were verified
	partial  string // the library while it is unpacked
	work     string // downloads and temporary files
	lock     string // next to dir, so that dir can be deleted
}

func newSlot(cache, id, name string) slot {
	dir := filepath.Join(cache, id)
	library := filepath.Join(dir, name)
	return slot{
		dir:      dir,
		library:  library,
		record:   library + recordSuffix,
		verified: library + ".verified",
		partial:  library + ".partial",
		work:     filepath.Join(dir, "download"),
		lock:     dir + ".lock",
	}
}

const recordSuffix = ".json"

// record is the file next to a library in the cache.
type record struct {
	Wheel  string `json:"wheel"`        // or the Debian packages
	Pin    string `json:"wheel_sha256"` // see build.pin
	SHA256 string `json:"sha256"`       // of the library
	Size   int64  `json:"size"`         // of the library, in bytes
	Beside []file `json:"beside,omitempty"`
}

// file is a library that another one needs, in the same folder.
type file struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// files lists the library under that name, and the libraries next to it.
func (r record) files(library string) []file {
	return append([]file{{library, r.SHA256, r.Size}}, r.Beside...)
}

func readRecord(path string) (record, error) {
	var r record
	data, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%s is damaged: %w", path, err)
	}
	for _, f := range r.Beside {
		if f.Name != filepath.Base(f.Name) {
			return r, fmt.Errorf("%s is damaged: it has the invalid file name %q", path, f.Name)
		}
	}
	return r, nil
}

// inspect reports whether the slot holds the complete library of build b. problem is "" if
// it does, and otherwise describes what is wrong. An error says that other users may change
// the slot.
func (sl slot) inspect(b build) (problem string, err error) {
	if err := sl.trustedFolders(); err != nil {
		return "", err
	}
	info, err := trusted(filepath.Dir(sl.dir), sl.record)
	if errors.As(err, new(*UnsafeError)) {
		return "", err
	}
	var r record
	if err == nil {
		r, err = sl.knownRecord(info)
	}
	if err != nil || r.Pin != b.pin() {
		_, lerr := os.Stat(sl.library)
		switch {
		case errors.Is(lerr, fs.ErrNotExist):
			return notThere, nil
		case errors.Is(err, fs.ErrNotExist):
			return "an unfinished download", nil
		case err != nil:
			return err.Error(), nil
		}
		return "from another download than the pinned one", nil
	}
	problem, err = sl.verify(sl.expected(r, b))
	if problem != "" {
		if _, err := os.Stat(sl.library); errors.Is(err, fs.ErrNotExist) {
			problem = notThere
		}
	}
	return problem, err
}

const notThere = "not there"

// clean removes what an interrupted fetch left behind. The caller holds the lock.
func (sl slot) clean() error {
	return errors.Join(os.RemoveAll(sl.work), os.RemoveAll(sl.partial), os.RemoveAll(sl.record+".partial"))
}

// commit moves the unpacked library into place, and its companions from the work folder,
// and writes the record. The files were hashed while they were written.
func (sl slot) commit(r record) error {
	if err := sl.forget(); err != nil {
		return err
	}
	// Without its record the old library, if any, counts as missing. So a record never
	// stands next to a library that it does not describe.
	if err := os.Remove(sl.record); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range r.Beside {
		if err := os.Rename(filepath.Join(sl.work, f.Name), filepath.Join(sl.dir, f.Name)); err != nil {
			return err
		}
	}
	if err := os.Rename(sl.partial, sl.library); err != nil {
		return err
	}
	if err := syncDir(sl.dir); err != nil {
		return err
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := writeSynced(sl.record+".partial", bytes.NewReader(append(data, '\n'))); err != nil {
		return err
	}
	if err := os.Rename(sl.record+".partial", sl.record); err != nil {
		return err
	}
	if err := syncDir(sl.dir); err != nil {
		return err
	}
	if states, problem, err := sl.states(r.files(filepath.Base(sl.library))); problem == "" && err == nil {
		sl.keep(states)
	}
	return nil
}

// writeSynced writes r to the file at path and returns once it is on the disk. Other users
// may not write to it, whatever the umask.
func writeSynced(path string, r io.Reader) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := io.Copy(f, r); err != nil {
		return err
	}
	return f.Sync()
}

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
