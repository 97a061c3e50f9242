package callbacks

import (
	"runtime/debug"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/contract"
)

// Slot is a callback as one call site of an executable is bound to it. It may be
// invoked concurrently.
type Slot struct {
	config   contract.Config
	registry string   // the name of the one that it was found in
	binding  *binding // nil where nothing is bound and nothing is to be done
	calls    atomic.Int64
}

// NoOp reports whether an invocation does nothing: the callback is optional and
// nobody registered it. The results are then the runtime's to fill.
func (s *Slot) NoOp() bool { return s.binding == nil }

// Invoke calls the function, on the goroutine that asks; with Every in the module only
// the first time and each Every-th after it. The error that the function
// returns comes back as it is; a panic comes back as a *PanicError. A context that
// has ended, before the call or after it, is an error too.
func (s *Slot) Invoke(c *Frame) error {
	if s.binding == nil {
		return nil
	}
	fn := s.binding.fn.Load()
	if fn == nil {
		return s.binding.gone(s.config, s.registry)
	}
	ctx := c.Context()
	if err := ctx.Err(); err != nil {
		return err
	}
	if n := s.config.Every; n > 1 && (s.calls.Add(1)-1)%n != 0 {
		return nil
	}
	if err := protect(*fn, c); err != nil {
		return err
	}
	return ctx.Err()
}

func protect(fn Func, c *Frame) (err error) {
	// A flag, because recover says nil for panic(nil) of old code and for Goexit.
	finished := false
	defer func() {
		if !finished {
			err = &PanicError{Callback: c.Name, Value: recover(), Stack: debug.Stack()}
		}
	}()
	err = fn(c)
	finished = true
	return err
}
