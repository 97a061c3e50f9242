package mlir

import (
	"fmt"
	"io"
	"iter"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A PanicError is a panic in a Pass, a Pattern or another Go function that the library
// calls. The panic is recovered because it must not unwind the library's frames.
type PanicError struct {
	Value any
	Stack []byte // of the goroutine that panicked
}

func (e *PanicError) Error() string { return fmt.Sprintf("mlir: panic: %v", e.Value) }

// Unwrap returns the value of the panic if it is an error, and nil otherwise.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// recovered calls f and returns a panic in it as a *PanicError.
func recovered(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}

// calls records a context's runs of passes and patterns, and the Go code that they call.
type calls struct {
	// gate serializes the calls from the library's threads, because a Context and its
	// objects are not safe for concurrent use.
	gate sync.Mutex
	// asking serializes the questions while the call that holds the gate waits for them. It is
	// nil otherwise. See Context.asks.
	asking atomic.Pointer[sync.Mutex]
	open   map[io.Closer]struct{} // pass managers and the like, to be closed with the context
	runs   int                    // in progress, nested

	// The innermost call, or nil.
	current *call
	last    uint64       // the number of the last call
	spare   []capi.Thing // memory for the list of the next call
}

// call is one call of a Go pass or pattern.
type call struct {
	number     uint64             // among the calls of the context, from 1
	top        pointer            // the outermost object that it works on
	on         capi.MlirOperation // the operation that the pass runs on, or the patterns in
	root       capi.MlirOperation // the matched operation, nil for a function that PDL calls
	pattern    bool               // of a pattern, which must erase with its rewriter
	constraint bool               // it must not change anything
	question   string             // what asks it, for messages; empty for a PDL constraint
	conversion bool               // of a dialect conversion
	anywhere   bool               // top may be unknown, as it is while the library parses it
	inner      bool               // it is made in another one, which has the gate
	walk       bool               // it may change only the matched operation
	verified   bool               // its changes are verified
	touched    []Operation        // operations to be verified: see touch
	previous   *call

	passing bool         // top is known only during the call
	runs    int          // in progress when it was made
	life    *lifetime    // of the pattern's Rewriter
	given   []capi.Thing // objects with handles: see leave
	many    bool         // given was too long to be kept
}

// id returns the number of a call, and 0 for none.
func (c *call) id() uint64 {
	if c == nil {
		return 0
	}
	return c.number
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

// at returns an iterator over the calls that work on an outermost object, the innermost
// first.
func (c *calls) at(top pointer) iter.Seq[*call] {
	return func(yield func(*call) bool) {
		for call := c.current; call != nil; call = call.previous {
			if call.top == top && !yield(call) {
				return
			}
		}
	}
}

// mayTake panics if the library still needs an object that is about to be detached or
// erased. own is the call of the rewriter that asks.
func (c *calls) mayTake(x *Context, own *call, kind capi.Kind, raw pointer, method string) {
	if c.current == nil {
		return
	}
	t := x.api
	for call := range c.at(capi.Top(t, kind, raw)) {
		if call.pattern && call != own {
			if strings.HasPrefix(method, "Rewriter.") {
				panic("mlir: " + method + " called in a pattern on another rewriter: use the rewriter that the pattern was given")
			}
			panic("mlir: " + method + " called in a pattern: use Rewriter.Erase")
		}
		call.outside(t, kind, raw, method)
		if !call.pattern && !capi.IsIn(t, kind, raw, call.on) && !capi.Inside(t, call.on, raw) {
			// The library may have listed the operations that it runs on next.
			panic("mlir: " + method + " was given something outside the operation that a pass runs on")
		}
		if capi.Inside(t, call.on, raw) || call.root.Ptr != raw && capi.Inside(t, call.root, raw) {
			panic("mlir: " + method +
				" was called on the operation that a pass or pattern runs on, or on one around it")
		}
	}
}

// mayMove is mayTake for an object that stays in the same outermost object.
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

// mayChange panics if a constraint would change the IR that the library is matching.
func (c *calls) mayChange(x *Context, kind capi.Kind, raw pointer) {
	for call := c.current; call != nil; call = call.previous {
		if call.constraint && call.top == capi.Top(x.api, kind, raw) {
			if call.question != "" {
				panic("mlir: a function " + call.question + " changes operations: it must only answer")
			}
			panic("mlir: a PDL constraint changes the operations that are being matched: change them in a rewrite")
		}
	}
}

// outside panics if a walk would go wrong because of a change outside the matched
// operation. The root of a PDL pattern may not be known.
func (c *call) outside(t *capi.Table, kind capi.Kind, raw pointer, method string) {
	if c.walk && (c.root.Ptr == nil || !capi.IsIn(t, kind, raw, c.root)) {
		panic("mlir: " + method + " was given something outside the matched operation: in a walk, a pattern may erase and move only that operation and what is in it")
	}
}

// mayJoin panics if an object that the library works on would become part of another one.
func (c *calls) mayJoin(raw pointer, method string) {
	for range c.at(raw) {
		panic("mlir: " + method + " was given what a pass or pattern runs on")
	}
}

// mayRun returns an error if a run inside a pass or pattern would change operations that
// the library still needs.
func (c *calls) mayRun(t *capi.Table, o Operation, top pointer, what string) error {
	for call := range c.at(top) {
		switch {
		case call.pattern:
			return fmt.Errorf("mlir: %s called in a pattern, on the module that the pattern changes", what)
		case !capi.IsIn(t, capi.OperationKind, o.raw.Ptr, call.on):
			return fmt.Errorf("mlir: %s called in a pass, on something outside the operation that the pass runs on",
				what)
		}
	}
	return nil
}

// lock waits until no other thread runs Go code of the context.
func (c *calls) lock(question bool) (unlock func()) {
	for question {
		m := c.asking.Load()
		if m == nil {
			break
		}
		m.Lock()
		if c.asking.Load() == m {
			return m.Unlock
		}
		m.Unlock() // the call that waited for questions goes on
	}
	c.gate.Lock()
	return c.gate.Unlock
}

// asks calls f, in which the library verifies operations, so it may ask Go functions about
// them. It may do so on other threads while Go code that has the gate waits for f.
func (c *Context) asks(f func()) {
	if !c.threads || c.calls.current == nil {
		f()
		return
	}
	outer, m := c.calls.asking.Load(), new(sync.Mutex)
	c.calls.asking.Store(m)
	f()
	m.Lock()
	c.calls.asking.Store(outer)
	m.Unlock()
}

// enter calls Go code for the library. The handles that the code gets are valid until it
// returns. A panic is returned as an error.
func (c *Context) enter(this call, f func(this *call) error) error {
	// A conversion calls Go on one thread, and may do so within a call.
	if nested := this.conversion && c.calls.current != nil && c.calls.current.conversion; c.threads && !nested &&
		!this.inner {
		defer c.calls.lock(this.question != "")()
	}
	if this.anywhere && c.tops[this.top] == nil {
		this.passing = true
		defer c.drop(c.newTop(capi.OperationKind, this.top))
	}
	c.calls.last++
	this.number, this.previous, this.runs = c.calls.last, c.calls.current, c.calls.runs
	this.life = &lifetime{ctx: c, parent: c.life}
	this.given, c.calls.spare = c.calls.spare, nil
	c.calls.current = &this
	ended := true // the goroutine has, by runtime.Goexit
	defer func() {
		if ended {
			c.api.Abandon()
			c.poison("after Go code that the library called has ended its goroutine (runtime.Goexit, as testing.T.FailNow does), " +
				"so that the Context cannot be used any more: return an error instead")
		}
	}()
	defer c.leave(&this)
	err := recovered(func() error { return f(&this) })
	ended = false
	return err
}

// leave ends the handles that the Go code got, because the library may destroy their
// objects next. Handles to objects in other outermost objects stay valid.
func (c *Context) leave(this *call) {
	const how = "after the end of the pass or pattern that it was for"
	this.life.ended, this.life.how = true, how
	if this.within() {
		c.calls.end(this)
		return
	}
	c.replaceUsesOf(this.top)
	t := c.tops[this.top]
	// A conversion detaches blocks that it destroys later, which are in no outermost object.
	if len(c.tops) == 1 || this.many || this.conversion {
		c.renew(t, how)
	} else {
		this.keep(c, true)
		n := capi.Within(c.api, this.given, t.raw)
		c.forget(this.given[:n], how)
		this.given = this.given[n:]
	}
	c.calls.end(this)
}

// within reports whether the Go code that the call was made in goes on with the same objects,
// and ends their handles: an outer pattern of a conversion, or code that has something verified.
func (c *call) within() bool {
	outer, runs := false, 0
	if p := c.previous; p != nil {
		outer, runs = p.conversion, p.runs
	}
	return c.conversion && outer || c.constraint && !c.passing && c.runs == runs
}

// end makes the call around this one the current one, which ends the handles that are left.
func (c *calls) end(this *call) {
	if c.current = this.previous; c.current != nil {
		c.current.give(this.given...)
		c.current.many = c.current.many || this.many
	}
	c.spare, this.given = this.given[:0], nil
}

// maxGiven is the maximum length of call.given.
const maxGiven = 1 << 16

// give records that the call has handles to objects.
func (c *call) give(things ...capi.Thing) {
	if n := len(c.given); n > 0 && len(things) == 1 && c.given[n-1] == things[0] {
		return
	}
	if c.given = append(c.given, things...); len(c.given) > maxGiven {
		c.given, c.many = nil, true
	}
}

// keep removes erased objects from the list, and duplicates of the others. An object that
// is not in the table of addresses is kept only if unlisted is set.
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

// expire ends the handles into an outermost object, because the library is about to change
// it.
func (c *Context) expire(t *top, how string) {
	switch {
	case len(c.tops) == 1:
		c.renew(t, how)
	case c.shown(t):
		c.forget(c.gather(t), how)
	}
	c.last = known{}
}

// run lets the library work on an operation and call Go code. Handles that were taken
// before or during the run are invalid after it. run returns a new handle to the operation.
// It calls f with the operation and the outermost object that contains it.
func (c *Context) run(o Operation, what string, hasGo bool, f func(o Operation, top pointer)) (Operation, error) {
	if c.threads && c.calls.current != nil {
		return Operation{}, fmt.Errorf("mlir: %s called within a pass or pattern of a context that uses threads: make it without Threads", what)
	}
	if c.threads && hasGo {
		// Go code that creates operations would load their dialects while other threads
		// look theirs up.
		capi.MlirContextLoadAllAvailableDialects(c.api, c.raw)
	}
	t := c.topOf(capi.OperationKind, o.raw.Ptr)
	if t == nil {
		panic("mlir: " + what + " was given an operation in a block or region that is not part of an operation")
	}
	if err := c.calls.mayRun(c.api, o, t.raw, what); err != nil {
		return o, err
	}
	if t.module == nil || t.raw != o.raw.Ptr {
		if err := o.selfContained(); err != nil {
			return o, fmt.Errorf("mlir: %s cannot run on %s: %w", what, o.Name(), err)
		}
	}
	if err := c.inlineResources(o.raw); err != nil {
		return o, err
	}
	c.takeDiagnostics("") // of earlier calls
	c.expire(t, "after "+what)
	o = c.operation(o.raw)
	c.replaceUsesOf(t.raw) // the library may destroy values that detached objects use
	if t.module != nil {
		t.module.keepFunctions(c.operation(capi.MlirOperation{Ptr: t.raw}))
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
		c.replaceNullUses(t)
	}
	return c.operation(o.raw), nil
}

// selfContained returns an error if something outside uses a value in the operation's
// regions, or branches into them. The library may destroy these values and blocks.
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
