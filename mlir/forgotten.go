package mlir

import (
	"log/slog"
	"sync"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/run/forgotten"
	"github.com/calliope-mlir/calliope/internal/text/callers"
)

// heldByContext is what a context holds in C. Every object of the context leads to the context, so nothing of it is in
// use once the context is garbage. A context is not garbage while the library has functions in Go of it, such as those
// of passes.
type heldByContext struct {
	api   *capi.Table // of the library
	raw   capi.MlirContext
	sink  capi.Sink
	tops  map[pointer]*top
	pool  *ThreadPool
	deep  bool // see Context.deepen
	at    string
	debug *slog.Logger

	// Modules that are garbage: the context destroys them, because it may be in use.
	mu   sync.Mutex
	lost []*top
}

var (
	forgottenContexts forgotten.Guards[*heldByContext]
	forgottenModules  forgotten.Guards[forgottenModule]
)

func (c *Context) watch() {
	if c.held.debug != nil {
		c.held.at = callers.Line()
	}
	c.guard = forgottenContexts.Watch(c.held)
}

// Forgotten is Context.Close. It uses no table of the context, which leads to the context.
func (h *heldByContext) Forgotten() {
	h.warn("Context", h.at)
	t := h.api.ForContext(false)
	t.SetDeep(h.deep)
	destroyAll(t, h.tops)
	capi.MlirContextDestroy(t, h.raw)
	h.sink.Free()
	h.leavePool()
}

// warn logs on a new goroutine, because a log handler may block.
func (h *heldByContext) warn(what, at string) {
	if h.debug != nil {
		go h.debug.Warn("mlir: a "+what+" was not closed before it became garbage", "made", at)
	}
}

// A forgottenModule is a Module that is garbage without having been closed.
type forgottenModule struct {
	held *heldByContext
	top  *top
	at   string // in debug mode, the line that made it
}

func (m *Module) watch(t *top) {
	at := ""
	if m.ctx.held.debug != nil {
		at = callers.Line()
	}
	m.guard = forgottenModules.Watch(forgottenModule{m.ctx.held, t, at})
}

// Forgotten leaves the module to the context, or, if there may be handles into it, to the end of the context.
func (f forgottenModule) Forgotten() {
	if f.top.module.shown {
		return
	}
	f.held.warn("Module", f.at)
	f.held.mu.Lock()
	defer f.held.mu.Unlock()
	f.held.lost = append(f.held.lost, f.top)
}

// destroyLost destroys modules that are garbage, unless the library is at work.
func (c *Context) destroyLost() {
	if c.calls.current != nil || c.calls.runs > 0 {
		return
	}
	c.held.mu.Lock()
	lost := c.held.lost
	c.held.lost = nil
	c.held.mu.Unlock()
	for _, t := range lost {
		c.end(t, "after the Module was garbage")
	}
}
