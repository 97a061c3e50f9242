package mlir

import (
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// PanicError is what a panic in a pass, a pattern or a function of the host becomes:
// it must not unwind through the library's frames.
type PanicError struct {
	Value any
	Stack []byte // of the goroutine that panicked
}

func (e *PanicError) Error() string { return fmt.Sprintf("mlir: panic: %v", e.Value) }

// Unwrap is the value that was panicked with, where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// recovered runs f and turns a panic in it into a *PanicError.
func recovered(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}

// calls keeps account of a context's runs and of the Go code that they call.
type calls struct {
	// gate lets the library's threads into Go one at a time: a Context and what
	// belongs to it are not made for two.
	gate sync.Mutex
	open map[closer]struct{} // pass managers and the like, to be closed with the context
	runs int                 // under way, one within the other

	// The innermost call, nil while none is under way.
	current *call
}

// call is one call of a Go pass or pattern.
type call struct {
	life     *lifetime
	root     capi.MlirOperation
	pattern  bool // a pattern: what it erases must go through its rewriter
	previous *call
}

type closer interface{ Close() }

func (c *calls) keep(x closer) {
	if c.open == nil {
		c.open = map[closer]struct{}{}
	}
	c.open[x] = struct{}{}
}

func (c *calls) closeAll() {
	if c.runs > 0 {
		panic("mlir: Context.Close called while passes or patterns run")
	}
	for x := range c.open {
		x.Close()
	}
}

// mayErase panics where the library would go on with an operation that is gone.
func (c *calls) mayErase(o Operation) {
	t := o.life.ctx.lib.api
	for call := c.current; call != nil; call = call.previous {
		if call.pattern {
			panic("mlir: Operation.Erase called in a pattern: use Rewriter.Erase")
		}
		if within(t, call.root, o.raw) {
			panic("mlir: Operation.Erase called on the operation that a pass runs on, or on one around it")
		}
	}
}

// within reports whether o is outer or stands somewhere in it.
func within(t *capi.Table, o, outer capi.MlirOperation) bool {
	for o.Ptr != nil {
		if o == outer {
			return true
		}
		if capi.MlirOperationGetBlock(t, o).Ptr == nil {
			return false
		}
		o = capi.MlirOperationGetParentOperation(t, o)
	}
	return false
}

// enter runs Go code that the library calls back, with handles that are good until
// it returns. A panic becomes an error.
func (c *Context) enter(root capi.MlirOperation, parent *lifetime, pattern bool, f func(life *lifetime) error) error {
	if c.threads {
		c.calls.gate.Lock()
		defer c.calls.gate.Unlock()
	}
	this := &call{
		life:     &lifetime{ctx: c, of: "Module", parent: parent},
		root:     root,
		pattern:  pattern,
		previous: c.calls.current,
	}
	c.calls.current = this
	defer func() {
		c.calls.current = this.previous
		this.life.ended, this.life.by = true, "the end of the pass or pattern that it was for"
	}()
	return recovered(func() error { return f(this.life) })
}

// renew ends all handles into what o belongs to, because the library may destroy
// anything there, and returns o under its new lifetime. Operations that belong to no
// module, and to no pass under way, live as long as their context: for them there is
// nothing to end.
func (c *Context) renew(o Operation, by string) Operation {
	for m := range c.modules {
		if m.life == o.life {
			m.life.ended, m.life.by = true, by
			m.life = &lifetime{ctx: c, of: "Module", parent: c.life}
			return Operation{m.life, o.raw}
		}
	}
	if call := c.calls.current; call != nil && call.life == o.life {
		call.life.ended, call.life.by = true, by
		call.life = &lifetime{ctx: c, of: "Module", parent: call.life.parent}
		return Operation{call.life, o.raw}
	}
	return o
}

// run lets the library work on an operation and call Go meanwhile. Handles taken
// before it, and those that Go code got behind its back, are over afterwards. f is
// given the lifetime that is the parent of the calls'.
func (c *Context) run(o Operation, what string, hasGo bool, f func(Operation)) (Operation, error) {
	if c.threads && c.calls.current != nil {
		return Operation{}, fmt.Errorf("mlir: %s called within a pass or pattern of a context that uses threads: make it without Threads", what)
	}
	if c.threads && hasGo {
		// Go code that makes operations would load their dialects while other threads
		// look for theirs.
		capi.MlirContextLoadAllAvailableDialects(c.lib.api, c.raw)
	}
	o = c.renew(o, what)
	module := c.moduleOf(o)
	if module != nil {
		module.busy++
	}
	c.calls.runs++
	c.sink.Take() // leftovers are not this run's
	f(o)
	c.calls.runs--
	if module != nil {
		module.busy--
	}
	return c.renew(o, what), nil
}

func (c *Context) moduleOf(o Operation) *Module {
	for m := range c.modules {
		if m.life == o.life {
			return m
		}
	}
	return nil
}

// given is an operation that was handed to c, which must not be nil.
func (o Operation) given(c *Context, method string) capi.MlirOperation {
	o.life.mine(c, "an operation", method)
	if o.raw.Ptr == nil {
		panic("mlir: " + method + " was given a nil operation")
	}
	return o.raw
}
