package bridge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/bridge/internal/saved"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/host/store"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
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
type Cache struct{ folder *store.Folder }

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
	folder, err := store.Open(dir, cmp.Or(o.MaxBytes, defaultCacheBytes))
	if err != nil {
		return nil, fmt.Errorf("bridge: OpenCache: %w", err)
	}
	return &Cache{folder}, nil
}

// Stats returns the counts since the cache was opened.
func (c *Cache) Stats() CacheStats {
	c.given("Stats")
	return CacheStats(c.folder.Stats())
}

// compileCached is compile with the cache.
func (c *Client) compileCached(source []byte, o engine.CompileOptions, flags map[string]string) (*Executable, error) {
	cache := c.options.Cache.folder
	key, err := c.cacheKey(source, o, flags)
	if err != nil {
		cache.Unsaved(err)
		return c.compileAnew(source, o, flags)
	}
	if data := cache.Get(key); data != nil {
		e, err := c.loadEntry(key, data, o.JAXCallbacks)
		if err == nil {
			cache.Used(key)
			e.cached = true
			return e, nil
		}
		if failed, ok := errors.AsType[*PluginError](err); ok && failed.cause != nil {
			failed.Op = "compile" // it is the error of a callback's binding
			return nil, err
		}
		cache.Reject(key, err)
	}
	cache.Miss()
	e, err := c.compileAnew(source, o, flags)
	if err != nil {
		return nil, err
	}
	if data, err := e.serialize(key); err != nil {
		cache.Unsaved(err)
	} else {
		cache.Put(key, data)
	}
	return e, nil
}

// loadEntry loads an entry of the cache, with the CompileOptions.JAXCallbacks of the compile.
func (c *Client) loadEntry(key string, data []byte, jax []string) (*Executable, error) {
	p, err := c.openSaved(data)
	if err != nil {
		return nil, err
	}
	if p.Key != key {
		return nil, &SavedError{saved.Damaged, "the key " + key, p.Key}
	}
	p.JAX = jax // those of the compile that made the entry may have other names
	return c.load(p)
}

// cacheKey returns the key of a compile: a SHA-256, in hexadecimal, of all that decides what
// XLA makes of the module.
func (c *Client) cacheKey(source []byte, o engine.CompileOptions, flags map[string]string) (string, error) {
	here, err := c.savedHere()
	if err != nil {
		return "", err
	}
	flags = maps.Clone(flags)
	addDefault(flags, keepsNaN, "False")
	sum := sha256.New()
	// %q keeps the values apart. XLA divides work by the number of processors. It reads its
	// environment variables once, at a time that is not known: when the plugin is loaded or
	// later.
	fmt.Fprintf(sum, "calliope cache %d\n%q\n", saved.Version, []string{
		here.Plugin, here.Version, here.Platform, here.System, here.CPU, strings.Join(here.Features, " "),
		c.plugin.flags, xlaFlags(),
	})
	fmt.Fprintln(sum, runtime.NumCPU(), c.NumDevices(), o.Replicas, o.Partitions)
	if o.GSPMD {
		fmt.Fprintln(sum, "GSPMD")
	}
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		fmt.Fprintf(sum, "%q=%q\n", name, flags[name])
	}
	fmt.Fprintln(sum)
	sum.Write(source)
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// dumps reports whether a compile writes files for people, which a load does not.
func (p *Plugin) dumps(flags map[string]string) bool {
	for flag := range flags {
		if strings.HasPrefix(flag, "xla_dump_") {
			return true
		}
	}
	return strings.Contains(p.flags+xlaFlags(), "xla_dump_")
}

// given panics because a method was called on a nil pointer or a zero value.
func (c *Cache) given(method string) {
	if c == nil || c.folder == nil {
		panic(errtext.Receiver("bridge: Cache."+method, c == nil, "OpenCache"))
	}
}
