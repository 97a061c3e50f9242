package dispatch

import (
	"cmp"
	"log/slog"
	"runtime"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/access"
)

const (
	defaultQueueBytes = 64 << 20
	defaultLostLimit  = 256
)

// engine holds what the call sites of a registry share.
type engine struct {
	registry string
	options  callbacks.RegistryOptions
	pool     *pool
	queue    budget
	queued   atomic.Int64 // calls that wait in a queue or for a worker
	dumps    dumps
	log      logQueue
}

func newEngine(registry string, o callbacks.RegistryOptions) *engine {
	workers := cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	lost := cmp.Or(o.LostLimit, defaultLostLimit)
	e := &engine{registry: registry, options: o, pool: newPool(registry, workers, lost)}
	e.log.reportDropped = func(dropped int) {
		e.logger().Warn("log lines were dropped because the handler is slow", "lines", dropped)
	}
	e.queue.size = cmp.Or(o.QueueBytes, defaultQueueBytes)
	return e
}

func (e *engine) logger() *slog.Logger { return cmp.Or(e.options.Logger, slog.Default()) }

// host holds the state that a registry keeps for its call sites.
type host struct {
	registry *callbacks.Registry
	engine   atomic.Pointer[engine]
	tallies  tallies
}

func hostOf(r *callbacks.Registry) *host {
	return access.RegistryOf(r).State(func() any { return &host{registry: r} }).(*host)
}

// running returns the engine for call sites that are bound now.
func (h *host) running() *engine {
	if e := h.engine.Load(); e != nil {
		return e
	}
	o := access.OptionsOf(h.registry).(callbacks.RegistryOptions)
	if e := newEngine(h.registry.Name(), o); !h.engine.CompareAndSwap(nil, e) {
		e.pool.retire()
	}
	return h.engine.Load()
}

// retire makes later call sites get an engine with other options.
func (h *host) retire() {
	if e := h.engine.Swap(nil); e != nil {
		e.pool.retire()
	}
}

func (e *engine) state() callbacks.QueueState {
	q := callbacks.QueueState{Registry: e.registry, Queued: int(e.queued.Load())}
	e.queue.mu.Lock()
	q.QueuedBytes = e.queue.used
	e.queue.mu.Unlock()
	e.pool.mu.Lock()
	q.Running, q.Lost = e.pool.running, e.pool.lost
	e.pool.mu.Unlock()
	return q
}
