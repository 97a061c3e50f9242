// Package store keeps entries by key in a folder of limited size, which several processes may use.
package store

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/trust"
)

// A Folder has entries by their keys. An entry is complete or not there, unless the system crashed: so it has
// a checksum of its own, and the caller removes what is damaged with Reject. A Folder is safe for concurrent use.
type Folder struct {
	dir string // absolute
	max int64  // bytes of all entries together; negative for no limit

	mu    sync.Mutex
	stats Stats
	size  int64 // of all entries at the last count, with those that this process has stored since
	known bool  // the entries were counted
}

// Stats are counts since a folder was opened, and the last error that was counted.
type Stats struct {
	Hits, Misses, Stored, Unsaved, Rejected, Evicted, Failed int64
	Err                                                      error
}

// Open returns a folder, which it makes with mode 0700 if it does not exist. It returns an error if a user other than
// the current one and root owns it or may write to it.
func Open(dir string, max int64) (*Folder, error) {
	if dir == "" {
		return nil, errors.New("the name of the folder is empty")
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{dir: dir, max: max}
	root, err := f.open()
	if err != nil {
		return nil, err
	}
	return f, root.Close()
}

// open returns the folder for one use: on Windows, a folder that is open cannot be removed or renamed. It returns an
// error if another user may change the folder, which may not be the one that it was.
func (f *Folder) open() (*os.Root, error) {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err == nil {
		if problem := mistrust(info); problem != "" {
			err = fmt.Errorf("the folder %s is a cache, but %s: choose a folder of your own, with mode 0700", f.dir, problem)
		}
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return root, nil
}

// mistrust says why another user may change a folder or a file. It returns "" if none may.
func mistrust(info fs.FileInfo) string {
	if problem := trust.Mistrust(info); problem != "" {
		return problem
	}
	if runtime.GOOS != "windows" && info.Mode()&0o022 != 0 { // in a folder with the sticky bit others may make entries
		return "other users may write to it"
	}
	return ""
}

// Stats returns the counts since the folder was opened.
func (f *Folder) Stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stats
}

// count changes the counts. err may be nil.
func (f *Folder) count(change func(*Stats), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.stats)
	if err != nil {
		f.stats.Err = err
	}
}

// Unsaved counts a value that cannot be an entry.
func (f *Folder) Unsaved(err error) { f.count(func(s *Stats) { s.Unsaved++ }, err) }
func (f *Folder) failed(err error)  { f.count(func(s *Stats) { s.Failed++ }, err) }

// Files with other names are not the cache's.
const (
	entrySuffix = ".saved"
	tempSuffix  = ".partial"
)

// tempAge is the age from which a temporary file belongs to no process any more.
const tempAge = time.Hour

// Get returns an entry, or nil if there is none.
func (f *Folder) Get(key string) []byte {
	data, err := f.read(key + entrySuffix)
	switch {
	case err == nil:
		return data
	case !errors.Is(err, fs.ErrNotExist):
		f.failed(err)
	}
	return nil
}

func (f *Folder) read(name string) ([]byte, error) {
	root, err := f.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a named pipe would wait
		return nil, f.reject(root, name, fmt.Errorf("%s is not a file", name))
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, err
	}
	// The folder may have had another mode.
	if problem := mistrust(info); problem != "" {
		return nil, f.reject(root, name, errors.New(problem))
	}
	if f.max >= 0 && info.Size() > f.max {
		return nil, f.reject(root, name,
			fmt.Errorf("%s has %d bytes, but the limit of the cache is %d", name, info.Size(), f.max))
	}
	data := make([]byte, info.Size())
	_, err = io.ReadFull(file, data)
	return data, err
}

// Miss counts a key for which there was no entry.
func (f *Folder) Miss() { f.count(func(s *Stats) { s.Misses++ }, nil) }

// Used notes a hit.
func (f *Folder) Used(key string) {
	f.count(func(s *Stats) { s.Hits++ }, nil)
	root, err := f.open()
	if err != nil {
		return // somebody has removed it
	}
	defer root.Close()
	now := time.Now()
	_ = root.Chtimes(key+entrySuffix, now, now) // another process may have removed it
}

// Reject removes an entry that is not good.
func (f *Folder) Reject(key string, why error) {
	root, err := f.open()
	if err != nil {
		f.failed(err)
		return
	}
	defer root.Close()
	_ = f.reject(root, key+entrySuffix, why)
}

// reject removes a file that is not a good entry. It returns [fs.ErrNotExist].
func (f *Folder) reject(root *os.Root, name string, why error) error {
	f.count(func(s *Stats) { s.Rejected++ }, why)
	_ = root.RemoveAll(name)
	return fs.ErrNotExist
}

// Put stores an entry.
func (f *Folder) Put(key string, data []byte) {
	if f.max >= 0 && int64(len(data)) > f.max {
		f.Unsaved(fmt.Errorf("an entry has %d bytes, but the limit of the cache is %d", len(data), f.max))
		return
	}
	root, err := f.open()
	if err != nil {
		f.failed(err)
		return
	}
	defer root.Close()
	temp := key + "." + rand.Text() + tempSuffix
	if err = write(root, temp, data); err == nil {
		err = root.Rename(temp, key+entrySuffix)
	}
	if err != nil {
		_ = root.Remove(temp)
		f.failed(err)
		return
	}
	f.count(func(s *Stats) { s.Stored++ }, nil)
	if f.max >= 0 && f.full(int64(len(data))) {
		f.evict(root)
	}
}

// full adds a new entry to the size, and reports whether the entries are to be counted: they may be above the limit,
// or what other processes have stored is not known yet.
func (f *Folder) full(size int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.size += size
	return !f.known || f.size > f.max
}

func write(root *os.Root, name string, data []byte) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}

// evict counts the entries. If they are above the limit, it removes those that were not used for longest, until
// an eighth of it is free. It also removes what processes that were killed left.
func (f *Folder) evict(root *os.Root) {
	dir, err := root.Open(".")
	if err != nil {
		f.failed(err)
		return
	}
	names, _ := dir.Readdirnames(-1)
	_ = dir.Close()
	var entries []fs.FileInfo
	size := int64(0)
	for _, name := range names {
		info, err := root.Lstat(name)
		if err != nil {
			continue // another process has removed it
		}
		switch {
		case strings.HasSuffix(info.Name(), entrySuffix):
			entries = append(entries, info)
			size += info.Size()
		case strings.HasSuffix(info.Name(), tempSuffix) && time.Since(info.ModTime()) > tempAge:
			_ = root.Remove(info.Name())
		}
	}
	slices.SortFunc(entries, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	enough := f.max
	if size > f.max {
		enough -= f.max / 8 // or each entry that comes next would count again
	}
	for _, info := range entries {
		if size <= enough {
			break
		}
		if err := root.Remove(info.Name()); err == nil {
			f.count(func(s *Stats) { s.Evicted++ }, nil)
		}
		size -= info.Size()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.size, f.known = size, true
}
