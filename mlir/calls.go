package mlir

import (
	"fmt"
	"io"
	"iter"
	"runtime/debug"
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
	spare   []capi.Thing // memory for the list of the next call
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

	life  *lifetime    // of the Rewriter that a pattern is given
	given []capi.Thing // that there are handles to, see leave
	many  bool         // more than that
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
		if !call.pattern && !capi.IsIn(t, kind, raw, call.on) && !capi.Inside(t, call.on, raw) {
			// The library may have listed what it goes on with.
			panic("mlir: " + method + " was given something outside the operation that a pass runs on")
		}
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

// enter runs Go code that the library calls back. The handles that it gets are good until
// it returns. A panic becomes an error.
func (c *Context) enter(this call, f func(this *call) error) error {
	if c.threads {
		c.calls.gate.Lock()
		defer c.calls.gate.Unlock()
	}
	this.previous = c.calls.current
	this.life = &lifetime{ctx: c, parent: c.life}
	this.given, c.calls.spare = c.calls.spare, nil
	c.calls.current = &this
	defer c.leave(&this)
	return recovered(func() error { return f(&this) })
}

// leave ends the handles that Go code was given, because the library goes on and may
// destroy what they are of. Those to what is in other outermost things stay good.
func (c *Context) leave(this *call) {
	const how = "after the end of the pass or pattern that it was for"
	this.life.ended, this.life.how = true, how
	c.cutOff(this.top)
	t := c.tops[this.top]
	if len(c.tops) == 1 || this.many {
		c.renew(t, how)
	} else {
		this.keep(c, true)
		n := capi.Within(c.api, this.given, t.raw)
		c.forget(this.given[:n], how)
		this.given = this.given[n:]
	}
	if c.calls.current = this.previous; c.calls.current != nil {
		c.calls.current.give(this.given...)
		c.calls.current.many = c.calls.current.many || this.many
	}
	c.calls.spare, this.given = this.given[:0], nil
}

// maxGiven bounds the list of the handles that one call was given.
const maxGiven = 1 << 16

// give notes that the call has handles to things.
func (c *call) give(things ...capi.Thing) {
	if n := len(c.given); n > 0 && len(things) == 1 && c.given[n-1] == things[0] {
		return
	}
	if c.given = append(c.given, things...); len(c.given) > maxGiven {
		c.given, c.many = nil, true
	}
}

// keep leaves in the list what there still is, each as what was there last. What is not in
// the table of addresses has been one thing only; it is left out unless unlisted.
func (c *call) keep(x *Context, unlisted bool) {
	var last map[pointer]capi.Kind
	list := c.given[:0]
	for _, thing := range c.given {
		listed := x.listed(thing.Ptr)
		if listed {
			_, listed = x.addresses[thing.Ptr]
		}
		switch {
		case !listed && unlisted:
			list = append(list, thing)
		case listed && x.alive(thing.Ptr):
			if last == nil {
				last = map[pointer]capi.Kind{}
			}
			last[thing.Ptr] = thing.Kind
		}
	}
	for p, kind := range last {
		list = append(list, capi.Thing{Ptr: p, Kind: kind})
	}
	c.given = list
}

// expire ends the handles to what is in an outermost thing, because the library is about
// to change and destroy anything there.
func (c *Context) expire(t *top, how string) {
	switch {
	case len(c.tops) == 1:
		c.renew(t, how)
	case t.shown():
		c.forget(c.gather(t), how)
	}
	c.last = known{}
}

// run lets the library work on an operation and call Go meanwhile. Handles taken before it,
// and those that Go code got in it, are over afterwards; a new one to the operation is
// returned. f is given the outermost thing around it too.
func (c *Context) run(o Operation, what string, hasGo bool, f func(o Operation, top pointer)) (Operation, error) {
	if c.threads && c.calls.current != nil {
		return Operation{}, fmt.Errorf("mlir: %s called within a pass or pattern of a context that uses threads: make it without Threads", what)
	}
	if c.threads && hasGo {
		// Go code that makes operations would load their dialects while other threads
		// look for theirs.
		capi.MlirContextLoadAllAvailableDialects(c.api, c.raw)
	}
	t := c.topOf(capi.OperationKind, o.raw.Ptr)
	if t == nil {
		panic("mlir: " + what + " was given an operation in a block or region that is not part of one")
	}
	if err := c.calls.mayRun(c.api, o, t.raw, what); err != nil {
		return o, err
	}
	if t.module == nil || t.raw != o.raw.Ptr {
		if err := o.selfContained(); err != nil {
			return o, fmt.Errorf("mlir: %s cannot run on %s: %w", what, o.Name(), err)
		}
	}
	c.takeDiagnostics("") // leftovers are not this run's
	c.expire(t, "after "+what)
	o = c.operation(o.raw)
	c.cutOff(t.raw) // the library may destroy what something detached uses
	if t.module != nil {
		t.module.busy++
	}
	c.calls.runs++
	f(o, t.raw)
	c.calls.runs--
	if t.module != nil {
		t.module.busy--
	}
	c.last = known{}
	if hasGo {
		c.mend(t)
	}
	return c.operation(o.raw), nil
}

// selfContained is an error where something outside uses a value in the operation's
// regions, or branches into them: the library would leave that with nothing.
func (o Operation) selfContained() error {
	c := o.life.ctx
	for _, region := range o.Regions() {
		if op, _ := capi.OutsideUse(c.api, capi.RegionKind, region.raw.Ptr); op.Ptr != nil {
			user := c.operation(op)
			return fmt.Errorf("%s at %s, outside of it, uses a value in it", user.Name(), user.Location().Position())
		}
	}
	return o.branchedInto()
}
