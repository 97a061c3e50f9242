package bridge

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/bridge/internal/saved"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

func openCache(t testing.TB, dir string, o CacheOptions) *Cache {
	t.Helper()
	c, err := OpenCache(dir, o)
	check.NoError(t, err)
	return c
}

// cachedClient returns a client with a cache in a new folder.
func cachedClient(t testing.TB, o CacheOptions) (c *Client, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "new", "cache")
	return clientWith(t, openCache(t, dir, o)), dir
}

func clientWith(t testing.TB, cache *Cache) *Client {
	t.Helper()
	c, err := testPlugin(t).NewClient(ClientOptions{Devices: 4, Cache: cache})
	check.NoError(t, err)
	check.Cleanup(t, c)
	return c
}

// entries returns the names of the files in a cache.
func entries(t testing.TB, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	check.NoError(t, err)
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// wantStats compares the counts, and checks that there is an error only if one is counted.
func wantStats(t testing.TB, c *Client, want CacheStats) {
	t.Helper()
	got := c.options.Cache.Stats()
	check.Diff(t, "counts", want, got, cmpopts.IgnoreFields(CacheStats{}, "Err"))
	if (got.Err != nil) != (got.Unsaved+got.Rejected+got.Failed > 0) {
		t.Errorf("the last error is %v", got.Err)
	}
}

func runNegation(t testing.TB, c *Client, cached bool, o engine.CompileOptions) {
	t.Helper()
	e := compile(t, c, negation, o)
	check.Diff(t, "Cached", cached, e.Cached())
	var in []engine.Input
	for range e.NumDevices() {
		in = append(in, view(t, []float32{1, -2}, 2))
	}
	out, err := e.Run(t.Context(), in...)
	check.NoError(t, err)
	for _, o := range out {
		check.Diff(t, "result", []float32{-1, 2}, host[float32](t, o))
	}
}

// The key has all that decides what XLA makes.
func TestCache(t *testing.T) {
	c, dir := cachedClient(t, CacheOptions{})
	info, err := os.Stat(dir)
	check.NoError(t, err)
	check.Diff(t, "mode", os.FileMode(0o700), info.Mode().Perm())
	options := []engine.CompileOptions{
		{}, {Replicas: 2}, {Replicas: 3}, {OptimizationLevel: 1}, {OptimizationLevel: engine.NoOptimization},
		{Flags: map[string]string{"xla_cpu_enable_fast_min_max": "true"}},
		{Flags: map[string]string{"xla_cpu_prefer_vector_width": "128"}},
	}
	for _, o := range options {
		runNegation(t, c, false, o)
	}
	for _, o := range options {
		runNegation(t, c, true, o)
	}
	n := int64(len(options))
	wantStats(t, c, CacheStats{Hits: n, Misses: n, Stored: n})
	check.Diff(t, "entries", len(options), len(entries(t, dir)))
	for _, name := range entries(t, dir) {
		info, err := os.Stat(filepath.Join(dir, name))
		check.NoError(t, err)
		check.Diff(t, "mode", os.FileMode(0o600), info.Mode().Perm())
	}

	// Another Cache of the folder, and a client with another number of devices.
	again := clientWith(t, openCache(t, dir, CacheOptions{}))
	runNegation(t, again, true, engine.CompileOptions{})
	one, err := testPlugin(t).NewClient(ClientOptions{Devices: 1, Cache: again.options.Cache})
	check.NoError(t, err)
	check.Cleanup(t, one)
	runNegation(t, one, false, engine.CompileOptions{})
	wantStats(t, again, CacheStats{Hits: 1, Misses: 1, Stored: 1})

	// XLA's environment variables.
	t.Setenv("XLA_FLAGS", "--xla_cpu_prefer_vector_width=128")
	runNegation(t, again, false, engine.CompileOptions{})
	runNegation(t, again, true, engine.CompileOptions{})
	file := filepath.Join(t.TempDir(), "flags")
	t.Setenv("XLA_FLAGS", file)
	runNegation(t, again, false, engine.CompileOptions{})
	runNegation(t, again, true, engine.CompileOptions{})
	check.NoError(t, os.WriteFile(file, []byte("--xla_cpu_prefer_vector_width=256"), 0o600))
	runNegation(t, again, false, engine.CompileOptions{})
	t.Setenv("XLA_FLAGS", "--xla_dump_to=/nowhere")
	before := again.options.Cache.Stats()
	runNegation(t, again, false, engine.CompileOptions{})
	check.Diff(t, "counts", before, again.options.Cache.Stats())
	t.Setenv("XLA_FLAGS", "")

	// A compile that writes files is one.
	for range 2 {
		dump := filepath.Join(t.TempDir(), "dump")
		runNegation(t, again, false, engine.CompileOptions{DumpTo: dump})
		if len(entries(t, dump)) == 0 {
			t.Error("XLA wrote no files")
		}
	}
	check.Diff(t, "counts", before, again.options.Cache.Stats())

	// What does not compile is not kept.
	for range 2 {
		_, err := again.Compile(t.Context(), Source("no module"), engine.CompileOptions{})
		check.As[*PluginError](t, err)
		_, err = again.Compile(t.Context(), Source(negation),
			engine.CompileOptions{Flags: map[string]string{"xla_no_such_flag": "1"}})
		check.As[*FlagError](t, err)
	}
	check.Diff(t, "stored", before.Stored, again.options.Cache.Stats().Stored)
}

// Callbacks are bound at each compile, with the same errors as without a cache.
func TestCacheBindsCallbacks(t *testing.T) {
	check.NoError(t, testPlugin(t).registerTarget(savedTarget))
	c, dir := cachedClient(t, CacheOptions{})
	calls := bindSaved(t)
	for i := range 3 {
		e := compile(t, c, savedModule(), engine.CompileOptions{})
		check.Diff(t, "Cached", i > 0, e.Cached())
		runSaved(t, c, e, calls)
		serialize(t, e)
	}
	check.NoError(t, callbacks.Default.Unregister("saved.goroutine"))
	for _, client := range []*Client{c, testClient(t)} {
		_, err := client.Compile(t.Context(), Source(savedModule()), engine.CompileOptions{})
		check.Error(t, err, "bridge: compile: ", `callback "saved.goroutine" is not registered`)
		check.As[*callbacks.UnknownError](t, err)
	}
	check.Diff(t, "entries", 1, len(entries(t, dir)))
	wantStats(t, c, CacheStats{Hits: 2, Misses: 1, Stored: 1})

	// The inner client has the cache, too.
	inner := register(t, "", func(f *callbacks.Frame) error {
		client, err := InnerClient(f.Context())
		if err != nil {
			return err
		}
		for i := range 2 {
			e, err := client.Compile(f.Context(), Source(negation), engine.CompileOptions{})
			if err != nil {
				return err
			}
			if cached := i > 0; e.Cached() != cached {
				return fmt.Errorf("Cached is %v", e.Cached())
			}
			if err := e.Close(); err != nil {
				return err
			}
		}
		return nil
	})
	e := compile(t, c, addResult(inner, "tensor<3xf32>"), engine.CompileOptions{})
	out, err := e.Run(t.Context(), view(t, []float32{1, 2, 3}, 3))
	check.NoError(t, err)
	check.NoError(t, out[0].Close())
}

// A program that cannot be saved is compiled each time.
func TestCacheUnsaved(t *testing.T) {
	c, dir := cachedClient(t, CacheOptions{})
	id, err := callbacks.Default.RegisterFunc(func(*callbacks.Frame) error { return nil }, callbacks.Options{})
	check.NoError(t, err)
	t.Cleanup(func() { _ = callbacks.Default.UnregisterID(id) })
	const typ = "tensor<2xf32>"
	module := mainFunc("%x: "+typ, typ, "%y = "+
		custom(contract.Passthrough, fmt.Sprintf("callback_id = %d : i64", id), "%x", typ, typ)+"\nreturn %y : "+typ)
	for range 2 {
		check.Diff(t, "Cached", false, compile(t, c, module, engine.CompileOptions{}).Cached())
	}
	wantStats(t, c, CacheStats{Misses: 2, Unsaved: 2})
	check.As[*UnsavableError](t, c.options.Cache.Stats().Err)
	check.Diff(t, "entries", 0, len(entries(t, dir)))

	small := clientWith(t, openCache(t, dir, CacheOptions{MaxBytes: 10}))
	runNegation(t, small, false, engine.CompileOptions{})
	wantStats(t, small, CacheStats{Misses: 1, Unsaved: 1})
	check.Error(t, small.options.Cache.Stats().Err, "the limit of the cache is 10")
}

// Damaged and foreign entries are removed, and the module is compiled.
func TestCacheRejects(t *testing.T) {
	c, dir := cachedClient(t, CacheOptions{})
	runNegation(t, c, false, engine.CompileOptions{})
	path := filepath.Join(dir, entries(t, dir)[0])
	good, err := os.ReadFile(path)
	check.NoError(t, err)
	runNegation(t, c, false, engine.CompileOptions{Replicas: 2})
	names := slices.DeleteFunc(entries(t, dir), func(name string) bool { return name == filepath.Base(path) })
	check.Diff(t, "entries", 1, len(names))
	other, err := os.ReadFile(filepath.Join(dir, names[0]))
	check.NoError(t, err)
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 4
	p, err := saved.Decode(good)
	check.NoError(t, err)
	p.Code = []byte("no program")
	refused, err := p.Encode()
	check.NoError(t, err)
	before := c.options.Cache.Stats()
	tests := []struct {
		name string
		make func() error
	}{
		{"empty", func() error { return os.WriteFile(path, nil, 0o600) }},
		{"cut", func() error { return os.WriteFile(path, good[:len(good)-1], 0o600) }},
		{"flipped bit", func() error { return os.WriteFile(path, flipped, 0o600) }},
		{"entry of another key", func() error { return os.WriteFile(path, other, 0o600) }},
		{"without a key", func() error {
			return os.WriteFile(path, reseal(t, good, func(h *saved.Header) { h.Key = "" }), 0o600)
		}},
		{"another plugin", func() error {
			return os.WriteFile(path, reseal(t, good, func(h *saved.Header) { h.Plugin = "00" }), 0o600)
		}},
		{"refused by XLA", func() error { return os.WriteFile(path, refused, 0o600) }},
		{"writable by others", func() error { return os.Chmod(path, 0o602) }},
		{"larger than the limit", func() error { return os.Truncate(path, 100<<30) }}, // sparse
		{"folder", func() error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.MkdirAll(filepath.Join(path, "folder"), 0o700)
		}},
		{"link", func() error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Symlink(filepath.Join(dir, names[0]), path)
		}},
	}
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			check.NoError(t, test.make())
			runNegation(t, c, false, engine.CompileOptions{})
			runNegation(t, c, true, engine.CompileOptions{})
			n := int64(i + 1)
			want := before
			want.Hits, want.Misses, want.Stored, want.Rejected = n, before.Misses+n, before.Stored+n, n
			wantStats(t, c, want)
			check.NoError(t, os.Chmod(path, 0o600))
		})
	}
	check.Diff(t, "entries", 2, len(entries(t, dir)))
}

func TestOpenCacheRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	check.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := OpenCache("", CacheOptions{})
	check.Error(t, err, "bridge: OpenCache: the name of the folder is empty")
	for _, path := range []string{file, filepath.Join(file, "below")} {
		_, err = OpenCache(path, CacheOptions{})
		check.Error(t, err, "bridge: OpenCache: ", "not a directory")
	}
	for mode, want := range map[os.FileMode]string{
		0o700: "", 0o755: "", 0o500: "",
		0o720: "its group may write to it", 0o702: "every user may write to it", 0o777: "every user may write to it",
		0o777 | os.ModeSticky: "other users may write to it",
	} {
		dir := filepath.Join(t.TempDir(), "cache")
		check.NoError(t, os.Mkdir(dir, 0o700))
		check.NoError(t, os.Chmod(dir, mode))
		_, err := OpenCache(dir, CacheOptions{})
		if want == "" {
			check.NoError(t, err)
		} else {
			check.Error(t, err, "bridge: OpenCache: the folder "+dir+" is a cache, but "+want+
				": choose a folder of your own, with mode 0700")
		}
	}
	if os.Geteuid() == 0 {
		dir := t.TempDir()
		check.NoError(t, os.Chown(dir, 12345, -1))
		_, err := OpenCache(dir, CacheOptions{})
		check.Error(t, err, "it belongs to the user 12345")
	}
}

// A cache that cannot be written, or read, does not keep a module from being compiled.
func TestCacheFails(t *testing.T) {
	c, dir := cachedClient(t, CacheOptions{})
	check.NoError(t, os.RemoveAll(dir))
	for range 2 {
		runNegation(t, c, false, engine.CompileOptions{})
	}
	wantStats(t, c, CacheStats{Misses: 2, Failed: 2})
}

const cacheEnv, cacheMaxEnv = "CALLIOPE_TEST_CACHE", 20000

// Processes that fill one cache at once see complete entries only.
func TestCacheOfTwoProcesses(t *testing.T) {
	name := "cache.processes"
	check.NoError(t, callbacks.Default.Register(name,
		func(f *callbacks.Frame) error { copy(f.Results[0].Data, f.Args[0].Data); return nil }, callbacks.Options{}))
	t.Cleanup(func() { _ = callbacks.Default.Unregister(name) })
	fill := func(t *testing.T, dir string, o CacheOptions) *Client {
		c := clientWith(t, openCache(t, dir, o))
		for range 3 {
			for i := 1; i < 9; i++ {
				module := addResult(name, fmt.Sprintf("tensor<%dxf32>", i))
				e := compile(t, c, module, engine.CompileOptions{})
				out, err := e.Run(t.Context(), view(t, make([]float32, i), i))
				check.NoError(t, err)
				check.Diff(t, "result", float32(1), host[float32](t, out[0])[i-1])
			}
		}
		return c
	}
	if dir := os.Getenv(cacheEnv); dir != "" {
		fill(t, dir, CacheOptions{})
		fill(t, dir, CacheOptions{MaxBytes: cacheMaxEnv})
		return
	}
	dir := filepath.Join(t.TempDir(), "cache")
	var children sync.WaitGroup
	for range 2 {
		children.Go(func() { savedChild(t, "TestCacheOfTwoProcesses", cacheEnv+"="+dir) })
	}
	children.Wait()
	for _, name := range entries(t, dir) {
		if !strings.HasSuffix(name, ".saved") {
			t.Errorf("%s is left", name)
		}
	}
	c := fill(t, dir, CacheOptions{})
	stats := c.options.Cache.Stats()
	if stats.Hits < 16 || stats.Rejected+stats.Failed+stats.Unsaved != 0 {
		t.Errorf("the counts are %+v", stats)
	}
	check.Diff(t, "entries", 8, len(entries(t, dir)))
}
