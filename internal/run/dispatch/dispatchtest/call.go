// Package dispatchtest makes calls like a runtime, on arrays in Go's memory, for tests.
package dispatchtest

import (
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
)

// A Call is a call that can be made repeatedly, one at a time.
type Call struct {
	call  dispatch.Call
	frame *callbacks.Frame
	done  func(error)
}

// New returns a call with the contents of f. lane is the result of dispatch.Slot.Lane, or
// -1 for none.
func New(f *callbacks.Frame, lane int) *Call {
	c := &Call{frame: f}
	c.call.Frame = *f
	c.call.Init(f.Name, f.Config, lane, c)
	return c
}

// Invoke makes the call in a run, which may be nil, and waits for it.
func (c *Call) Invoke(s *dispatch.Slot, r *dispatch.Run) error {
	_, err := s.Do(&c.call, r)
	return err
}

// Invoke makes one call with f and waits for it.
func Invoke(s *dispatch.Slot, r *dispatch.Run, f *callbacks.Frame) error {
	return New(f, -1).Invoke(s, r)
}

// Begin makes one call with f without waiting for it. If later is true, done is called with
// the error.
func Begin(s *dispatch.Slot, r *dispatch.Run, f *callbacks.Frame, done func(error)) (later bool, err error) {
	c := New(f, -1)
	c.done = done
	return s.Do(&c.call, r)
}

// Read implements dispatch.Transport.
func (c *Call) Read() error { return nil }

// Clear implements dispatch.Transport.
func (c *Call) Clear() error {
	if c.frame.Config.Form != contract.Passthrough {
		for _, v := range c.frame.Results {
			clear(v.Data)
		}
	}
	return nil
}

// Finish implements dispatch.Transport.
func (c *Call) Finish(err error, zeros bool) error {
	if err != nil && zeros {
		_ = c.Clear() // it has no error
	}
	c.frame.Args, c.frame.Results = c.call.Args, c.call.Results
	return err
}

// Defer implements dispatch.Transport.
func (c *Call) Defer() func(error) { return c.done }
