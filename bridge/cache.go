package bridge

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/native"
)

// A Cache is a folder of compiled programs, from which [Client.Compile] loads a program that
// was compiled before, instead of compiling it again: see ClientOptions.Cache. It finds
// them by the module, all options of the compile, the plugin's file, the environment
// variables XLA_FLAGS and XLA_DEBUG_OPTIONS, and the machine. Callbacks are bound at each
// Compile, with the same errors.
//
// A compile with DumpTo, or another flag xla_dump_…, does not use the cache. Programs that
// cannot be saved, such as those with callbacks that are bound by an id, are compiled each
// time. Storing a program takes about a tenth of the time of its compile.
//
// Several processes may use the folder at once. Entries are complete or not there. An entry
// that is damaged, or was not made for this key, is removed, and the module is compiled. The
// first compile in a process reads the plugin's file if native.Find has not verified it.
//
// A Cache is safe for concurrent use and needs no Close.
type Cache struct {
	root *os.Root
	max  int64

	mu    sync.Mutex
	stats CacheStats
}

// CacheOptions are the options of [OpenCache].
type CacheOptions struct {
	// MaxBytes limits the size of all entries together. If a new entry exceeds it, those that
	// were not used for longest are removed. 0 means 1 GiB, and a negative value no limit.
	MaxBytes int64
}

const defaultCacheBytes = 1 << 30

// CacheStats are counts of one [Cache] since it was opened.
type CacheStats struct {
	Hits     int64 // compiles that were answered from the cache
	Misses   int64 // compiles for which there was no entry
	Stored   int64
	Unsaved  int64 // compiled programs that cannot be saved, or are larger than MaxBytes
	Rejected int64 // damaged and foreign entries, which were removed
	Evicted  int64 // entries that were removed to keep the cache below MaxBytes
	Failed   int64 // entries that could not be read or written
	// Err is the last error that was counted by Unsaved, Rejected or Failed.
	Err error
}

// OpenCache returns a cache in a folder, which it makes with mode 0700 if it does not exist.
// The folder holds machine code that runs in each process that uses it: OpenCache returns an
// error if a user other than the current one and root owns it or may write to it.
func OpenCache(dir string, o CacheOptions) (*Cache, error) {
	if dir == "" {
		return nil, errors.New("bridge: OpenCache: the name of the folder is empty")
	}
	fail := func(err error) (*Cache, error) { return nil, fmt.Errorf("bridge: OpenCache: %w", err) }
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fail(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fail(err)
	}
	// The root stays this folder, whatever becomes of its name.
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fail(err)
	}
	info, err := root.Stat(".")
	if err != nil {
		return fail(errors.Join(err, root.Close()))
	}
	if problem := mistrust(info); problem != "" {
		_ = root.Close()
		return nil, fmt.Errorf("bridge: OpenCache: the folder %s holds machine code, but %s: choose a folder of your own, with mode 0700", dir, problem)
	}
	c := &Cache{root: root, max: o.MaxBytes}
	if c.max == 0 {
		c.max = defaultCacheBytes
	}
	return c, nil
}

// mistrust says why another user may change a folder or a file. It returns "" if none may.
func mistrust(info fs.FileInfo) string {
	if problem := native.Unsafe(info); problem != "" {
		return problem
	}
	if info.Mode()&0o022 != 0 { // in a folder with the sticky bit others may make entries
		return "other users may write to it"
	}
	return ""
}

// Stats returns the counts since the cache was opened.
func (c *Cache) Stats() CacheStats {
	c.given("Stats")
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// count changes the counts. err may be nil.
func (c *Cache) count(change func(*CacheStats), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.stats)
	if err != nil {
		c.stats.Err = err
	}
}

func (c *Cache) unsaved(err error) { c.count(func(s *CacheStats) { s.Unsaved++ }, err) }
func (c *Cache) failed(err error)  { c.count(func(s *CacheStats) { s.Failed++ }, err) }

// Files with other names are not the cache's.
const (
	entrySuffix = ".saved"
	tempSuffix  = ".partial"
)

// tempAge is the age from which a temporary file belongs to no process any more.
const tempAge = time.Hour

// get returns an entry, or nil if there is none.
func (c *Cache) get(key string) []byte {
	data, err := c.read(key + entrySuffix)
	switch {
	case err == nil:
		return data
	case !errors.Is(err, fs.ErrNotExist):
		c.failed(err)
	}
	return nil
}

func (c *Cache) read(name string) ([]byte, error) {
	info, err := c.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a named pipe would wait
		c.reject(name, fmt.Errorf("%s is not a file", name))
		return nil, fs.ErrNotExist
	}
	f, err := c.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	// The folder may have had another mode.
	if problem := mistrust(info); problem != "" {
		c.reject(name, errors.New(problem))
		return nil, fs.ErrNotExist
	}
	if c.max >= 0 && info.Size() > c.max {
		c.reject(name, fmt.Errorf("%s has %d bytes, but CacheOptions.MaxBytes is %d", name, info.Size(), c.max))
		return nil, fs.ErrNotExist
	}
	data := make([]byte, info.Size())
	_, err = io.ReadFull(f, data)
	return data, err
}

// used notes a hit.
func (c *Cache) used(key string) {
	c.count(func(s *CacheStats) { s.Hits++ }, nil)
	now := time.Now()
	_ = c.root.Chtimes(key+entrySuffix, now, now) // another process may have removed it
}

// reject removes a file that is not a good entry.
func (c *Cache) reject(name string, why error) {
	c.count(func(s *CacheStats) { s.Rejected++ }, why)
	_ = c.root.RemoveAll(name)
}

// put stores an entry.
func (c *Cache) put(key string, data []byte) {
	if c.max >= 0 && int64(len(data)) > c.max {
		c.unsaved(fmt.Errorf("bridge: the program has %d bytes, but CacheOptions.MaxBytes is %d", len(data), c.max))
		return
	}
	temp := key + "." + rand.Text() + tempSuffix
	err := c.write(temp, data)
	if err == nil {
		err = c.root.Rename(temp, key+entrySuffix)
	}
	if err != nil {
		_ = c.root.Remove(temp)
		c.failed(err)
		return
	}
	c.count(func(s *CacheStats) { s.Stored++ }, nil)
	c.evict()
}

func (c *Cache) write(name string, data []byte) error {
	f, err := c.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// evict removes the entries that were not used for longest, until the cache is not above its
// limit, and what processes that were killed left.
func (c *Cache) evict() {
	dir, err := c.root.Open(".")
	if err != nil {
		c.failed(err)
		return
	}
	names, _ := dir.Readdirnames(-1)
	_ = dir.Close()
	var entries []fs.FileInfo
	size := int64(0)
	for _, name := range names {
		info, err := c.root.Lstat(name)
		if err != nil {
			continue // another process has removed it
		}
		switch {
		case strings.HasSuffix(info.Name(), entrySuffix):
			entries = append(entries, info)
			size += info.Size()
		case strings.HasSuffix(info.Name(), tempSuffix) && time.Since(info.ModTime()) > tempAge:
			_ = c.root.Remove(info.Name())
		}
	}
	slices.SortFunc(entries, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	for _, info := range entries {
		if c.max < 0 || size <= c.max {
			return
		}
		if err := c.root.Remove(info.Name()); err == nil {
			c.count(func(s *CacheStats) { s.Evicted++ }, nil)
		}
		size -= info.Size()
	}
}
