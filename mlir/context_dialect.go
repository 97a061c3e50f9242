package mlir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Dialects returns the namespaces of the dialects that the context can load, sorted.
func (c *Context) Dialects() []string {
	t := c.life.check("Context.Dialects")
	// The C API only counts them, but the parser names them all to whoever asks for one
	// that there is not.
	c.sink.Take()
	const missing = "calliope_no_such_dialect"
	source := missing + ".op\x00"
	capi.MlirModuleCreateParse(t, c.raw, source[:len(source)-1])
	for _, d := range nest(c, c.sink.Take(), 0, "") {
		for _, text := range append([]string{d.Message}, messages(d.Notes)...) {
			if _, list, ok := strings.Cut(text, "dialects: "); ok {
				list, _, _ = strings.Cut(list, ";")
				// Those that are loaded without being registered have a star, which the
				// last words explain.
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

// NumLoaded is the number of dialects that are loaded.
func (c *Context) NumLoaded() int {
	return capi.MlirContextGetNumLoadedDialects(c.life.check("Context.NumLoaded"), c.raw)
}

// LoadAllDialects loads every dialect of the library, which takes about a
// millisecond. Parsing and Create load what they need by themselves.
func (c *Context) LoadAllDialects() {
	for _, namespace := range c.lib.hidden() {
		_ = c.LoadDialect(namespace)
	}
	capi.MlirContextLoadAllAvailableDialects(c.life.check("Context.LoadAllDialects"), c.raw)
	c.forgetKinds()
}

// AllowsUnregistered reports whether operations and attributes of dialects that the
// library does not know are accepted.
func (c *Context) AllowsUnregistered() bool {
	return capi.MlirContextGetAllowUnregisteredDialects(c.life.check("Context.AllowsUnregistered"), c.raw)
}

// SetAllowUnregistered changes what AllowsUnregistered says.
func (c *Context) SetAllowUnregistered(allow bool) {
	capi.MlirContextSetAllowUnregisteredDialects(c.life.check("Context.SetAllowUnregistered"), c.raw, allow)
}

// SetThreads lets MLIR verify and run passes on threads of its own, or not.
func (c *Context) SetThreads(on bool) {
	t := c.life.check("Context.SetThreads")
	c.calls.idle("Context.SetThreads")
	c.threads = on
	if c.pool != nil {
		if on {
			return
		}
		c.leavePool()
	}
	c.api.SetThreads(on)
	capi.MlirContextEnableMultithreading(t, c.raw, on && !c.api.Deep())
}

// NumThreads is the number of threads that MLIR may use, 1 where it uses none of its
// own. Only newer libraries can say.
func (c *Context) NumThreads() (int, error) {
	t := c.life.check("Context.NumThreads")
	if err := c.lib.need("mlirContextGetNumThreads"); err != nil {
		return 0, err
	}
	return int(capi.MlirContextGetNumThreads(t, c.raw)), nil
}

// ThreadPool is a set of threads that several contexts share. It is safe for
// concurrent use; the contexts are closed before it.
type ThreadPool struct {
	lib   *Library
	raw   capi.MlirLlvmThreadPool
	users chan int // holds the number of contexts that use it, -1 when closed
}

// NewThreadPool makes a pool with as many threads as the machine has cores. The
// caller closes it.
func (l *Library) NewThreadPool() *ThreadPool {
	p := &ThreadPool{lib: l, raw: capi.MlirLlvmThreadPoolCreate(l.api), users: make(chan int, 1)}
	p.users <- 0
	return p
}

// Close ends the threads. Where a context still uses the pool, nothing happens and
// the error says so. Closing twice does nothing.
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

// SetThreadPool makes the context use the threads of a pool, until the context is
// closed or SetThreads(false) is called.
func (c *Context) SetThreadPool(p *ThreadPool) {
	t := c.life.check("Context.SetThreadPool")
	c.calls.idle("Context.SetThreadPool")
	if p.lib != c.lib {
		panic("mlir: Context.SetThreadPool was given a pool of another library")
	}
	if c.pool == p {
		return
	}
	n := <-p.users
	if n < 0 {
		p.users <- n
		panic("mlir: Context.SetThreadPool was given a pool that is closed")
	}
	p.users <- n + 1
	c.leavePool()
	capi.MlirContextEnableMultithreading(t, c.raw, false) // the library wants it off first
	capi.MlirContextSetThreadPool(t, c.raw, p.raw)
	c.pool = p
	c.threads = true
	c.api.SetThreads(true)
}

// leavePool counts the context out of its pool.
func (c *Context) leavePool() {
	if c.pool == nil {
		return
	}
	n := <-c.pool.users
	c.pool.users <- n - 1
	c.pool = nil
}
