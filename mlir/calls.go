package mlir

import (
	"fmt"
	"io"
	"iter"
	"runtime/debug"
	"slices"
	"strings"
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
	open map[io.Closer]struct{} // pass managers and the like, to be closed with the context
	runs int                    // under way, one within the other

	// The innermost call, nil while none is under way.
	current *call
}

// call is one call of a Go pass or pattern, by a run on something.
type call struct {
	top        pointer            // the outermost thing around it
	on         capi.MlirOperation // that passes run on, or patterns in
	root       capi.MlirOperation // that is matched, none for a function that PDL calls
	pattern    bool               // a pattern: what it erases must go through its rewriter
	constraint bool               // it changes nothing
	walk       bool               // it may change only what it matched
	judged     bool               // what it changes is verified
	touched    []Operation        // what is judged, and perhaps no longer valid: see touch
	previous   *call
}

func (c *calls) keep(x io.Closer) {
	if c.open == nil {
		c.open = map[io.Closer]struct{}{}
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

// at iterates over the calls that work on an outermost thing, the innermost first.
func (c *calls) at(top pointer) iter.Seq[*call] {
	return func(yield func(*call) bool) {
		for call := c.current; call != nil; call = call.previous {
			if call.top == top && !yield(call) {
				return
			}
		}
	}
}

// mayTake panics where the library would go on with something that is taken out of
// where it stands, or erased. own is the call that a rewriter was made for.
func (c *calls) mayTake(x *Context, own *call, kind capi.Kind, raw pointer, method string) {
	if c.current == nil {
		return
	}
	t := x.api
	for call := range c.at(capi.Top(t, kind, raw)) {
		if call.pattern && call != own {
			if strings.HasPrefix(method, "Rewriter.") {
				panic("mlir: " + method + " of a rewriter of one's own called in a pattern: use the one that the pattern was given")
			}
			panic("mlir: " + method + " called in a pattern: use Rewriter.Erase")
		}
		call.outside(t, kind, raw, method)
		if capi.Inside(t, call.on, raw) || call.root.Ptr != raw && capi.Inside(t, call.root, raw) {
			panic("mlir: " + method + " was called on the operation that a pass or pattern runs on, or on one around it")
		}
	}
}

// mayMove is mayTake for what stays in the same outermost thing.
func (c *calls) mayMove(x *Context, kind capi.Kind, raw pointer, method string) {
	if c.current == nil {
		return
	}
	t := x.api
	for call := range c.at(capi.Top(t, kind, raw)) {
		call.outside(t, kind, raw, method)
		if !call.pattern && capi.Inside(t, call.on, raw) {
			panic("mlir: " + method + " was called on the operation that a pass runs on, or on one around it")
		}
	}
}

// mayChange panics where a constraint would change what is being matched: the library is
// in the middle of that.
func (c *calls) mayChange(x *Context, kind capi.Kind, raw pointer) {
	for call := c.current; call != nil; call = call.previous {
		if call.constraint && call.top == capi.Top(x.api, kind, raw) {
			panic("mlir: a constraint of PDL changes what it is asked about: only a rewrite may")
		}
	}
}

// outside panics where a walk would miss what comes next. Of a PDL pattern nobody may know
// what it matched first.
func (c *call) outside(t *capi.Table, kind capi.Kind, raw pointer, method string) {
	if c.walk && (c.root.Ptr == nil || !capi.IsIn(t, kind, raw, c.root)) {
		panic("mlir: " + method + " was given something outside the one that was matched: in a walk a pattern erases and moves only that and what is in it")
	}
}

// mayJoin panics where what the library works on would become part of something.
func (c *calls) mayJoin(raw pointer, method string) {
	for range c.at(raw) {
		panic("mlir: " + method + " was given what a pass or pattern runs on")
	}
}

// mayRun returns an error where a run within a pass or pattern would change what the
// library goes on with.
func (c *calls) mayRun(t *capi.Table, o Operation, top pointer, what string) error {
	for call := range c.at(top) {
		switch {
		case call.pattern:
			return fmt.Errorf("mlir: %s called in a pattern, on what the pattern is in", what)
		case !capi.IsIn(t, capi.OperationKind, o.raw.Ptr, call.on):
			return fmt.Errorf("mlir: %s called in a pass, on something outside the operation that the pass runs on", what)
		}
	}
	return nil
}

// enter runs Go code that the library calls back. The handles that it gets are good
// until the next call or the end of the run. A panic becomes an error.
func (c *Context) enter(this call, f func(life *lifetime, this *call) error) error {
	if c.threads {
		c.calls.gate.Lock()
		defer c.calls.gate.Unlock()
	}
	this.previous = c.calls.current
	c.calls.current = &this
	defer func() { c.calls.current = this.previous }()
	defer c.cutOff(this.top) // the library goes on, and may destroy what something detached uses
	life := c.renew(this.top, "the end of the pass or pattern that it was for")
	return recovered(func() error { return f(life, &this) })
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
		capi.MlirContextLoadAllAvailableDialects(c.api, c.raw)
	}
	top := capi.Top(c.api, capi.OperationKind, o.raw.Ptr)
	if _, ok := c.tops[top]; !ok {
		panic("mlir: " + what + " was given an operation in a block or region that is not part of one")
	}
	if err := c.calls.mayRun(c.api, o, top, what); err != nil {
		return o, err
	}
	if t := c.tops[top]; t.life.of != "Module" || top != o.raw.Ptr {
		if err := o.selfContained(); err != nil {
			return o, fmt.Errorf("mlir: %s cannot run on %s: %w", what, o.Name(), err)
		}
	}
	c.takeDiagnostics("") // leftovers are not this run's
	o.life = c.renew(top, what)
	c.cutOff(top) // the library may destroy what something detached uses
	module := o.life.module
	if module != nil {
		module.busy++
	}
	c.calls.runs++
	f(o, top)
	c.calls.runs--
	if module != nil {
		module.busy--
	}
	o.life = c.renew(top, what)
	if hasGo {
		c.mend(top)
	}
	return o, nil
}

// mend replaces what the library took away from operations that Go code had made
// invalid, and which it thought to be unreachable.
func (c *Context) mend(top pointer) {
	t := c.tops[top]
	if block := capi.Mend(c.api, t.kind, top); block.Ptr != nil {
		e := t.life.property()
		e.standIns = append(e.standIns, block)
		t.life.lost = true
	}
}

// selfContained is an error where something outside uses a value in the operation's
// regions, or branches into them: the library would leave that with nothing.
func (o Operation) selfContained() error {
	c := o.life.ctx
	for _, region := range o.Regions() {
		if op, _ := capi.OutsideUse(c.api, capi.RegionKind, region.raw.Ptr); op.Ptr != nil {
			user := Operation{o.life, op}
			return fmt.Errorf("%s at %s, outside of it, uses a value in it", user.Name(), user.Location().Position())
		}
	}
	return o.branchedInto()
}
