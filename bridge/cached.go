package bridge

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
)

// compileCached is compile with the cache.
func (c *Client) compileCached(source []byte, o CompileOptions, flags map[string]string) (*Executable, error) {
	cache := c.options.Cache
	key, err := c.cacheKey(source, o, flags)
	if err != nil {
		cache.unsaved(err)
		return c.compileAnew(source, o, flags)
	}
	if data := cache.get(key); data != nil {
		e, err := c.loadEntry(key, data, o.JAXCallbacks)
		if err == nil {
			cache.used(key)
			e.cached = true
			return e, nil
		}
		if failed, ok := errors.AsType[*PluginError](err); ok && failed.cause != nil {
			failed.Op = "compile" // it is the error of a callback's binding
			return nil, err
		}
		cache.reject(key+entrySuffix, err)
	}
	cache.count(func(s *CacheStats) { s.Misses++ }, nil)
	e, err := c.compileAnew(source, o, flags)
	if err != nil {
		return nil, err
	}
	if data, err := e.serialize(key); err != nil {
		cache.unsaved(err)
	} else {
		cache.put(key, data)
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
		return nil, &SavedError{SavedDamaged, "the key " + key, p.Key}
	}
	p.JAX = jax // those of the compile that made the entry may have other names
	return c.load(p)
}

// cacheKey returns the key of a compile: a SHA-256, in hexadecimal, of all that decides what
// XLA makes of the module.
func (c *Client) cacheKey(source []byte, o CompileOptions, flags map[string]string) (string, error) {
	here, err := c.savedHere()
	if err != nil {
		return "", err
	}
	flags = maps.Clone(flags)
	addDefaults(flags)
	sum := sha256.New()
	// %q keeps the values apart. XLA divides work by the number of processors. It reads its
	// environment variables once, at a time that is not known: when the plugin is loaded or
	// later.
	fmt.Fprintf(sum, "calliope cache %d\n%q\n", savedVersion, []string{
		here.Plugin, here.Version, here.Platform, here.System, here.CPU, strings.Join(here.Features, " "), c.plugin.flags, xlaFlags(),
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
