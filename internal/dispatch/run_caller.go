package dispatch

import "github.com/calliope-mlir/calliope/callbacks"

// Caller makes the calls of a run on one goroutine, that of Serve.
type Caller struct {
	errands chan *errand
	gone    chan struct{}
}

// errand is a call that the goroutine is to make.
type errand struct {
	run  *Run
	call func() error
	err  error
	done chan struct{}
}

// NewCaller makes one for a single run.
func NewCaller() *Caller { return &Caller{make(chan *errand), make(chan struct{})} }

// Serve makes calls until over is closed. Where a function ends the goroutine, that
// call and all later ones are a *GoexitError.
func (c *Caller) Serve(over <-chan struct{}) {
	defer close(c.gone)
	for {
		select {
		case e := <-c.errands:
			e.make()
		case <-over:
			return
		}
	}
}

func (e *errand) make() {
	defer close(e.done) // also where the function ends the goroutine
	defer e.run.leave(e.run.enter())
	e.err = e.call()
}

// onCaller has the caller make a call, while the runtime's thread waits.
func (r *Run) onCaller(c *Call, call func() error) error {
	e := &errand{run: r, call: call, err: &callbacks.GoexitError{Callback: c.Name}, done: make(chan struct{})}
	select {
	case r.caller.errands <- e:
		<-e.done
		return e.err
	case <-r.caller.gone:
		return e.err
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
}
