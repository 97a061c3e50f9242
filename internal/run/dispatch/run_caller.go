package dispatch

import "github.com/calliope-mlir/calliope/callbacks"

// A Caller makes the calls of a run on one goroutine, the one that calls Serve.
type Caller struct {
	requests chan *request
	gone     chan struct{}
}

// request is a call for the goroutine to make.
type request struct {
	run  *Run
	call func() error
	err  error
	done chan struct{}
}

// NewCaller returns a Caller for a single run.
func NewCaller() *Caller { return &Caller{make(chan *request), make(chan struct{})} }

// Serve makes calls until over is closed. If a function ends the goroutine, that call and
// all later ones fail with a *GoexitError.
func (c *Caller) Serve(over <-chan struct{}) {
	defer close(c.gone)
	for {
		select {
		case q := <-c.requests:
			q.make()
		case <-over:
			return
		}
	}
}

func (q *request) make() {
	defer close(q.done) // also if the function ends the goroutine
	defer q.run.leave(q.run.enter())
	q.err = q.call()
}

// onCaller makes a call on the Caller's goroutine. The runtime's thread waits.
func (r *Run) onCaller(c *Call, call func() error) error {
	q := &request{run: r, call: call, err: &callbacks.GoexitError{}, done: make(chan struct{})}
	select {
	case r.caller.requests <- q:
		<-q.done
		return q.err
	case <-r.caller.gone:
		return q.err
	case <-r.ctx.Done():
		return expired{r.ctx.Err()}
	}
}
