package mlir

import (
	"fmt"
	"runtime/debug"
	"slices"
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

// idle panics while the library runs passes or patterns.
func (c *calls) idle(method string) {
	if c.runs > 0 {
		panic("mlir: " + method + " called while passes or patterns run")
	}
}

func (c *calls) closeAll() {
	c.idle("Context.Close")
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

// enter runs Go code that the library calls back, for what stands in an outermost
// thing under a run. The handles that it gets are good until the next call or the end
// of the run. A panic becomes an error.
func (c *Context) enter(root capi.MlirOperation, top pointer, pattern bool, f func(life *lifetime) error) error {
	if c.threads {
		c.calls.gate.Lock()
		defer c.calls.gate.Unlock()
	}
	this := &call{root: root, pattern: pattern, previous: c.calls.current}
	c.calls.current = this
	defer func() { c.calls.current = this.previous }()
	defer c.cutOff(top) // the library goes on, and may destroy what something detached uses
	life := c.renew(top, "the end of the pass or pattern that it was for")
	return recovered(func() error { return f(life) })
}

// renew ends all handles into an outermost thing, because the library may have changed
// and destroyed anything there, and returns the lifetime of the new ones. by is what
// the panic of an old one names. Handles into what something was moved here from may
// point here too, and nobody can tell which of them do: they all end.
func (c *Context) renew(top pointer, by string) *lifetime {
	if e := c.tops[top].life.estate; e != nil {
		for other, t := range c.tops {
			if slices.ContainsFunc(e.kin, func(k *lifetime) bool { return k.root() == t.life }) {
				c.expire(other, by+" on what something was moved to from there")
			}
		}
	}
	return c.expire(top, by)
}

// expire is renew for one outermost thing alone.
func (c *Context) expire(top pointer, by string) *lifetime {
	t := c.tops[top]
	fresh := *t.life
	t.life.ended, t.life.by = true, by
	if e := t.life.estate; e != nil {
		t.life.estate = &estate{kin: slices.Clone(e.kin)} // the rest is the new one's
	}
	t.life = &fresh
	c.tops[top] = t
	if fresh.module != nil {
		fresh.module.life = t.life
	}
	return t.life
}

// run lets the library work on an operation and call Go meanwhile. Handles taken
// before it, and those that Go code got in it, are over afterwards; the operation's
// new one is returned. f is given the outermost thing around it too.
func (c *Context) run(o Operation, what string, hasGo bool, f func(o Operation, top pointer)) (Operation, error) {
	if c.threads && c.calls.current != nil {
		return Operation{}, fmt.Errorf("mlir: %s called within a pass or pattern of a context that uses threads: make it without Threads", what)
	}
	if c.threads && hasGo {
		// Go code that makes operations would load their dialects while other threads
		// look for theirs.
		capi.MlirContextLoadAllAvailableDialects(c.lib.api, c.raw)
	}
	top := capi.Top(c.lib.api, capi.OperationKind, o.raw.Ptr)
	if _, ok := c.tops[top]; !ok {
		panic("mlir: " + what + " was given an operation in a block or region that is not part of one")
	}
	o.life = c.renew(top, what)
	c.cutOff(top) // the library may destroy what something detached uses
	module := o.life.module
	if module != nil {
		module.busy++
	}
	c.calls.runs++
	c.takeDiagnostics("") // leftovers are not this run's
	f(o, top)
	c.calls.runs--
	if module != nil {
		module.busy--
	}
	o.life = c.renew(top, what)
	return o, nil
}
