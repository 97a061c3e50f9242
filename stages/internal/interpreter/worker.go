package interpreter

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/internal/child"
)

var lastModule atomic.Int64

// workers are the child processes.
var workers pool

type pool struct {
	once  sync.Once
	slots chan struct{} // one for each worker that may run

	mu     sync.Mutex
	idle   []*worker
	open   map[int64]bool // the modules that programs have
	closed int            // how many they had
}

// A worker is a child process. It evaluates one module at a time.
type worker struct {
	cmd       *exec.Cmd
	in        io.WriteCloser
	out       *os.File
	requests  *gob.Encoder
	responses *gob.Decoder
	printed   child.Head
	known     map[int64]bool // the modules that it has
	closed    int            // pool.closed when known was compared with pool.open

	gone  chan struct{} // closed when it has ended
	state error         // how it ended
}

// startLimit is how long a worker may take to start.
const startLimit = time.Minute

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
	stop := context.AfterFunc(ctx, w.kill)
	err = w.responses.Decode(&r)
	if !stop() {
		w.end()
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
func (p *pool) send(ctx context.Context, module *Module, q request) (*worker, error) {
	for {
		w, idle, err := p.take(ctx)
		if err != nil {
			return nil, err
		}
		q.Closed, q.Library, q.Data = p.drop(w), "", nil
		if !w.known[module.id] {
			q.Library, q.Data = module.library, module.data
		}
		stop := context.AfterFunc(ctx, w.kill)
		err = w.requests.Encode(q)
		switch {
		case !stop():
			w.end()
			return nil, context.Cause(ctx)
		case err == nil:
			return w, nil
		case !idle:
			return nil, w.ended(err)
		}
		w.end()
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
func (p *pool) drop(w *worker) (list []int64) {
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
func (p *pool) put(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, w)
}

// take returns an idle worker, or starts one.
func (p *pool) take(ctx context.Context) (w *worker, idle bool, err error) {
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
func start(ctx context.Context) (*worker, error) {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-buildmode" && s.Value != "exe" && s.Value != "pie" && s.Value != "default" {
				return nil, fmt.Errorf("the interpreter runs in a child process of the program, and this program is not one of Go, but loaded a library of build mode %s: use a device of a client", s.Value)
			}
		}
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	w := &worker{cmd: exec.Command(self), known: map[int64]bool{}, gone: make(chan struct{})}
	w.cmd.Env = append(os.Environ(), childVariable+"=1")
	w.cmd.Stdout, w.cmd.Stderr = &w.printed, &w.printed
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	var writing *os.File
	if w.out, writing, err = os.Pipe(); err != nil {
		return nil, err
	}
	if err = child.Inherit(w.cmd, writing); err == nil {
		err = w.cmd.Start()
	}
	_ = writing.Close() // only the child writes
	if err != nil {
		_ = w.out.Close()
		return nil, fmt.Errorf("starting the interpreter: %w", err)
	}
	go func() { // so that a worker that ends does not stay as a zombie
		w.state = w.cmd.Wait()
		close(w.gone)
	}()
	timer := time.AfterFunc(startLimit, w.kill)
	defer timer.Stop()
	stop := context.AfterFunc(ctx, w.kill)
	read := bufio.NewReader(w.out)
	greeting := make([]byte, len(hello))
	_, err = io.ReadFull(read, greeting)
	if !stop() {
		w.end()
		return nil, context.Cause(ctx)
	}
	if err != nil || string(greeting) != hello {
		return nil, w.ended(fmt.Errorf("it is not a child of package stages: %w", errors.Join(err)))
	}
	w.requests, w.responses = gob.NewEncoder(w.in), gob.NewDecoder(read)
	return w, nil
}

func (w *worker) kill() { _ = w.cmd.Process.Kill() } // fails if it has ended

// end ends the worker, and returns how it ended.
func (w *worker) end() error {
	w.kill()
	<-w.gone
	_ = w.out.Close()
	return w.state
}

// ended returns the error of a worker that has ended, or that does not answer.
func (w *worker) ended(err error) error {
	state := w.end()
	if text := strings.TrimSpace(w.printed.String()); text != "" {
		err = errors.New(text)
	}
	return fmt.Errorf("the process of the interpreter ended (%v), for example because it took too much memory: %w; the next run starts another one", errors.Join(state), err)
}
