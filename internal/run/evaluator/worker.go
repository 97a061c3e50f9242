package evaluator

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/internal/host/worker"
)

var lastModule atomic.Int64

// workers are the child processes.
var workers pool

type pool struct {
	once  sync.Once
	slots chan struct{} // one for each worker that may run

	mu     sync.Mutex
	idle   []*process
	open   map[int64]bool // the modules that programs have
	closed int            // how many they had
}

// A process evaluates one module at a time.
type process struct {
	*worker.Process
	known  map[int64]bool // the modules that it has
	closed int            // pool.closed when known was compared with pool.open
}

// evaluate evaluates a module in a worker. If ctx ends, it ends the worker.
func (p *pool) evaluate(ctx context.Context, module *Module, q request) ([][]byte, error) {
	p.once.Do(func() { p.slots = make(chan struct{}, runtime.GOMAXPROCS(0)) })
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	w, err := p.send(ctx, module, q)
	if err != nil {
		return nil, err
	}
	var r response
	stop := context.AfterFunc(ctx, w.Kill)
	err = w.Decode(&r)
	if !stop() {
		w.End()
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, w.ended(err)
	}
	w.known[module.id] = true
	p.put(w)
	if r.Err != "" {
		return nil, errors.New(r.Err)
	}
	return r.Results, nil
}

// send sends a request to a worker. Somebody may have ended an idle one: then another one gets it.
func (p *pool) send(ctx context.Context, module *Module, q request) (*process, error) {
	for {
		w, idle, err := p.take(ctx)
		if err != nil {
			return nil, err
		}
		q.Closed, q.Library, q.Data = p.drop(w), "", nil
		if !w.known[module.id] {
			q.Library, q.Data = module.library, module.data
		}
		stop := context.AfterFunc(ctx, w.Kill)
		err = w.Encode(q)
		switch {
		case !stop():
			w.End()
			return nil, context.Cause(ctx)
		case err == nil:
			return w, nil
		case !idle:
			return nil, w.ended(err)
		}
		w.End()
	}
}

// add registers a module.
func (p *pool) add() (id int64) {
	id = lastModule.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		p.open = map[int64]bool{}
	}
	p.open[id] = true
	return id
}

// remove removes a module. Each worker drops it with its next request.
func (p *pool) remove(id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, id)
	p.closed++
}

// drop returns the modules that the worker has, and that nobody needs any more.
func (p *pool) drop(w *process) (list []int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.closed == p.closed {
		return nil
	}
	w.closed = p.closed
	for id := range w.known {
		if !p.open[id] {
			list = append(list, id)
			delete(w.known, id)
		}
	}
	return list
}

// put makes a worker idle.
func (p *pool) put(w *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, w)
}

// take returns an idle worker, or starts one.
func (p *pool) take(ctx context.Context) (w *process, idle bool, err error) {
	p.mu.Lock()
	n := len(p.idle)
	if n == 0 {
		p.mu.Unlock()
		w, err = start(ctx)
		return w, false, err
	}
	defer p.mu.Unlock()
	w = p.idle[n-1]
	p.idle = p.idle[:n-1]
	return w, true, nil
}

// start starts a worker.
func start(ctx context.Context) (*process, error) {
	p, err := worker.Start(ctx, childVariable)
	if err != nil {
		return nil, fmt.Errorf("starting the interpreter: %w", err)
	}
	return &process{Process: p, known: map[int64]bool{}}, nil
}

// ended returns the error of a process that has ended, or that does not answer.
func (p *process) ended(err error) error {
	how := p.End()
	if text := p.Printed(); text != "" {
		err = errors.New(text)
	}
	return fmt.Errorf("the process of the interpreter ended (%s), for example because it took too much memory: %w; the next run starts another one", how, err)
}
