//go:build cgo

package command

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/calliope-mlir/calliope/internal/host/bounded"
	"github.com/calliope-mlir/calliope/internal/host/store"
	"github.com/calliope-mlir/calliope/native"
)

// cacheEnv is the environment variable that sets the folder of the cache, or is "off".
const cacheEnv = "CALLIOPE_LINT_CACHE"

// A cache keeps what workers answered about files for later runs. An answer is found by everything that it depends
// on: the file's content, the request, the executable and the libraries. A nil cache is empty and stays so.
//
// It consists of folders, by the first byte of a key, because each one lists its entries now and then.
type cache struct {
	programs []byte // describes the executable and the libraries
	folders  [256]func() (*store.Folder, error)
}

// cacheBytes limits the size of all entries together.
const cacheBytes = 256 << 20

// openCache returns the cache of the user, or nil if that is off.
func (s settings) openCache() (*cache, error) {
	dir := os.Getenv(cacheEnv)
	switch dir {
	case "off":
		return nil, nil
	case "":
		all, err := native.CacheDir()
		if err != nil {
			return nil, err
		}
		dir = filepath.Join(all, "mlir-lint")
	}
	c := new(cache)
	for i := range c.folders {
		c.folders[i] = sync.OnceValues(func() (*store.Folder, error) {
			return store.Open(filepath.Join(dir, fmt.Sprintf("%02x", i)), cacheBytes/int64(len(c.folders)))
		})
	}
	if _, err := c.folders[0](); err != nil {
		return nil, err
	}
	var err error
	c.programs, err = s.describePrograms()
	return c, err
}

// describePrograms describes the executable and the libraries that it may read a module with. A library that was
// fetched, or is fetched when a module needs it, is known by its release, and another one by its path, size and time.
func (s settings) describePrograms() ([]byte, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	executable, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer executable.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, executable); err != nil {
		return nil, err
	}
	own := s.library // a path that the user gave, unless it is one of the parts
	for _, p := range engines {
		release := p.Release()
		if found, err := native.Find(p); err == nil {
			if release = found.Version; found.Source != native.FromCache {
				release = stateOf(found.Path)
			}
			if found.Path == own {
				own = ""
			}
		}
		fmt.Fprintf(sum, "%q", release)
	}
	fmt.Fprintf(sum, "%q", stateOf(own))
	return sum.Sum(nil), nil
}

// stateOf returns what changes with a file.
func stateOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return path
	}
	return fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano())
}

// An entry is the place of one file in a cache.
type entry struct {
	folder *store.Folder // nil if the file is not to be in a cache
	key    string
	sum    [sha256.Size]byte // of the file
}

// entry returns the place of an input that a worker is about to check.
func (c *cache) entry(in input) (e entry) {
	if c == nil || in.Path == nil {
		return e
	}
	data, err := bounded.ReadFile(string(in.Path), limit(in.Max))
	if err != nil {
		return e // the worker says why
	}
	e.sum = sha256.Sum256(data)
	in.Max, in.Fixing = 0, fixing{}
	request, err := json.Marshal(in)
	if err != nil {
		return e
	}
	key := sha256.Sum256(bytes.Join([][]byte{c.programs, e.sum[:], request}, nil))
	e.key = hex.EncodeToString(key[:])
	e.folder, _ = c.folders[key[0]]() // without it the answer is not kept
	return e
}

// get returns the answer, if there is one.
func (e entry) get() (a answer, ok bool) {
	if e.folder == nil {
		return a, false
	}
	data := e.folder.Get(e.key)
	if data == nil {
		return a, false
	}
	n := len(data) - sha256.Size
	if n < 0 || e.check(data[:n]) != [sha256.Size]byte(data[n:]) || json.Unmarshal(data[:n], &a) != nil {
		e.folder.Reject(e.key, errors.New("the entry is damaged"))
		return answer{}, false
	}
	e.folder.Used(e.key)
	return a, true
}

// put keeps an answer to this very content: before the worker read the file, it may have changed, and if the worker
// could not check it, the reason may go.
func (e entry) put(a answer) {
	if e.folder == nil || a.Sum != e.sum {
		return
	}
	if data, err := json.Marshal(a); err == nil {
		check := e.check(data)
		e.folder.Put(e.key, append(data, check[:]...))
	}
}

// check returns what shows that an entry is whole, and is that of its key.
func (e entry) check(data []byte) [sha256.Size]byte {
	return sha256.Sum256(append([]byte(e.key), data...))
}
