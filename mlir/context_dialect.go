package mlir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// Dialects returns the namespaces of the dialects that the context can load, sorted.
func (c *Context) Dialects() []string {
	t := c.life.check("Context.Dialects")
	// The C API only counts the dialects, but the parser's error for an unknown dialect
	// lists them.
	c.sink.Take()
	const missing = "calliope_no_such_dialect"
	source := missing + ".op\x00"
	capi.MlirModuleCreateParse(t, c.raw, source[:len(source)-1])
	for _, d := range nest(c, c.sink.Take(), 0, "") {
		for _, text := range append([]string{d.Message}, messages(d.Notes)...) {
			if _, list, ok := strings.Cut(text, "dialects: "); ok {
				list, _, _ = strings.Cut(list, ";")
				// Dialects that are loaded but not registered are marked with a star, which
				// the end of the message explains.
				list, _, _ = strings.Cut(list, " (* ")
				names := strings.Split(strings.ReplaceAll(strings.TrimSpace(list), " (*)", ""), ", ")
				names = append(names, c.lib.hidden()...)
				slices.Sort(names)
				return slices.Compact(names)
			}
		}
	}
	return nil
}

func messages(list []Diagnostic) []string {
	var out []string
	for _, d := range list {
		out = append(out, d.Message)
	}
	return out
}

// NumLoaded returns the number of dialects that are loaded.
func (c *Context) NumLoaded() int {
	return capi.MlirContextGetNumLoadedDialects(c.life.check("Context.NumLoaded"), c.raw)
}

// LoadAllDialects loads every dialect of the library, which takes about a millisecond.
// Parsing and Create load dialects as needed.
func (c *Context) LoadAllDialects() {
	for _, namespace := range c.lib.hidden() {
		_ = c.LoadDialect(namespace)
	}
	capi.MlirContextLoadAllAvailableDialects(c.life.check("Context.LoadAllDialects"), c.raw)
	c.forgetKinds()
}

// AllowsUnregistered reports whether the context accepts operations and attributes of
// dialects that the library does not know.
func (c *Context) AllowsUnregistered() bool {
	c.life.check("Context.AllowsUnregistered")
	return c.allows
}

// SetAllowUnregistered sets whether the context accepts operations and attributes of
// dialects that the library does not know.
func (c *Context) SetAllowUnregistered(allow bool) {
	c.life.check("Context.SetAllowUnregistered")
	c.allows = allow
	c.setUnregistered()
}

// SetThreads sets whether MLIR may verify and run passes on its own threads.
func (c *Context) SetThreads(on bool) {
	t := c.life.check("Context.SetThreads")
	c.calls.idle("Context.SetThreads")
	c.threads = on
	if c.held.pool != nil {
		if on {
			return
		}
		c.held.leavePool()
	}
	c.api.SetThreads(on)
	capi.MlirContextEnableMultithreading(t, c.raw, on && !c.api.Deep())
}

// NumThreads returns the number of threads that MLIR may use, which is 1 if it starts none.
// It returns an UnsupportedError if the library is too old to return the number.
func (c *Context) NumThreads() (int, error) {
	t := c.life.check("Context.NumThreads")
	if err := c.lib.need("mlirContextGetNumThreads"); err != nil {
		return 0, err
	}
	return int(capi.MlirContextGetNumThreads(t, c.raw)), nil
}

// A ThreadPool is a set of threads that several contexts share. It is safe for concurrent
// use. The contexts must be closed before it.
type ThreadPool struct {
	lib   *Library
	raw   capi.MlirLlvmThreadPool
	users chan int // holds the number of contexts that use it, -1 if closed
}

// NewThreadPool creates a pool with one thread for each core of the machine. The caller
// must close it.
func (l *Library) NewThreadPool() *ThreadPool {
	p := &ThreadPool{lib: l, raw: capi.MlirLlvmThreadPoolCreate(l.api), users: make(chan int, 1)}
	p.users <- 0
	return p
}

// Close stops the threads. If a context still uses the pool, Close does nothing and returns
// an error. Closing a closed pool does nothing.
func (p *ThreadPool) Close() error {
	n := <-p.users
	if n > 0 {
		p.users <- n
		return fmt.Errorf("mlir: ThreadPool.Close: %d contexts still use the pool: close them first", n)
	}
	if n == 0 {
		capi.MlirLlvmThreadPoolDestroy(p.lib.api, p.raw)
	}
	p.users <- -1
	return nil
}

// SetThreadPool makes the context use the threads of the pool until the context is closed
// or SetThreads(false) is called.
func (c *Context) SetThreadPool(p *ThreadPool) {
	t := c.life.check("Context.SetThreadPool")
	c.calls.idle("Context.SetThreadPool")
	if p.lib != c.lib {
		panic("mlir: Context.SetThreadPool was given a pool of another library")
	}
	if c.held.pool == p {
		return
	}
	n := <-p.users
	if n < 0 {
		p.users <- n
		panic("mlir: Context.SetThreadPool was given a closed pool")
	}
	p.users <- n + 1
	c.held.leavePool()
	capi.MlirContextEnableMultithreading(t, c.raw, false) // required before a pool is set
	capi.MlirContextSetThreadPool(t, c.raw, p.raw)
	c.held.pool = p
	c.threads = true
	c.api.SetThreads(true)
}

// leavePool stops using the context's pool.
func (h *heldByContext) leavePool() {
	if h.pool == nil {
		return
	}
	n := <-h.pool.users
	h.pool.users <- n - 1
	h.pool = nil
}
