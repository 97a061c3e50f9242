package capi

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

// A context may be used by one goroutine at a time: its library has no locks. Each call into
// C through a context's table marks the context as in use, and panics if it is marked. Like
// the mark of Go's maps, the state is not atomic, because the calls take tens of nanoseconds:
// a use by two goroutines is found nearly always, and never reported without reason. After it the
// context is poisoned: no call enters C any more, because what both did may be half done.

const (
	unused    = 0
	inUse     = 1
	contended = 2 // in use, and another goroutine waits for the place of the call
	poisoned  = 3 // two goroutines used it at once
)

// A use is the state of one context, and whether the context holds deeply nested IR.
type use struct {
	deep bool

	state  uint32
	poison func(how string)       // called once when the context is poisoned, see OnPoison
	reason atomic.Pointer[string] // why the context is poisoned
	holder atomic.Pointer[string] // the place of the call during which another one came
	other  atomic.Pointer[string] // the place of the call that came during another one
}

// ForContext returns a table of the same functions for one context. threads says whether the
// library calls Go from several threads at once.
func (t *Table) ForContext(threads bool) *Table {
	c := *t
	c.use = new(use)
	c.SetThreads(threads)
	return &c
}

// SetThreads sets whether the library calls Go from several threads at once.
func (t *Table) SetThreads(on bool) {
	t.mark = t.use
	if on {
		t.mark = nil
	}
}

func (t *Table) enter() {
	if m := t.mark; m != nil {
		if m.state != unused {
			m.collide()
		}
		m.state = inUse
	}
}

func (t *Table) leave() {
	if m := t.mark; m != nil {
		if m.state != inUse {
			m.left()
			return
		}
		m.state = unused
	}
}

// OnPoison sets a function that is called once, when two goroutines have used the context at once.
func (t *Table) OnPoison(f func(how string)) { t.use.poison = f }

// Abandon lets calls into C be made though one never returned: the Go code that it called ended
// its goroutine. Only what C needs no more may be destroyed.
func (t *Table) Abandon() { t.mark = nil }

// pause ends a call's use of the context, so that Go code that C calls can use it. The returned
// function starts the use again.
func (t *Table) pause() (end func()) {
	if t.mark == nil {
		return func() {}
	}
	t.leave()
	return t.enter
}

// SetDeep sets whether the context holds deeply nested IR. Functions that recurse on it are
// then called on a large stack.
func (t *Table) SetDeep(deep bool) { t.use.deep = deep }

// Deep returns the value of SetDeep.
func (t *Table) Deep() bool { return t.deep() }

func (t *Table) deep() bool { return t.use != nil && t.use.deep }

// onLargeStack calls f on a large stack, with a table that calls functions directly.
func (t *Table) onLargeStack(f func(*Table)) {
	flat := *t
	flat.use = nil
	if err := OnLargeStack(func() { f(&flat) }); err != nil {
		panic(fmt.Sprintf("mlir: deeply nested IR needs a large stack: %v", err))
	}
	runtime.KeepAlive(t) // it leads to the context
}

// holderWait is how long collide waits for the place of the other call.
const holderWait = 5 * time.Second

// collide panics with the places of both calls. If two calls find each other's mark, neither
// is in C and reports its place at the end: then each uses other.
func (u *use) collide() {
	if why := u.reason.Load(); why != nil {
		panic(*why)
	}
	here, there := place(), "a call that takes longer than 5 seconds"
	if other := u.other.Swap(&here); other != nil {
		there = *other
	} else {
		for end := time.Now().Add(holderWait); time.Now().Before(end); time.Sleep(time.Millisecond) {
			// Repeated, because a call that has just ended may have overwritten it.
			atomic.StoreUint32(&u.state, contended)
			at := u.holder.Load()
			if other := u.other.Load(); at == nil && other != &here {
				at = other
			}
			if at != nil {
				there = *at
				break
			}
		}
	}
	u.spoil(here, there)
}

// left ends a call during which another one came.
func (u *use) left() {
	switch at := place(); u.state {
	case contended:
		u.holder.Store(&at)
		atomic.StoreUint32(&u.state, poisoned)
	case unused: // the other one came at the same moment, and has ended
		u.spoil(at, "a call that has ended")
	}
}

// spoil poisons the context, and panics.
func (u *use) spoil(here, there string) {
	text := fmt.Sprintf("mlir: a Context is used by two goroutines at once: here in %s, and there in %s: "+
		"give each goroutine a Context of its own, or hold a lock", here, there)
	first := u.reason.CompareAndSwap(nil, &text)
	atomic.StoreUint32(&u.state, poisoned)
	if first && u.poison != nil {
		u.poison("after two goroutines used the Context at once, which cannot be used any more: " +
			"give each goroutine a Context of its own, or hold a lock")
	}
	panic(text)
}

const module = "github.com/calliope-mlir/calliope/"

// place returns the method that was called from outside of this module, and the place of
// that call.
func place() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	method := ""
	for {
		f, more := frames.Next()
		own := strings.HasPrefix(f.Function, module) && !strings.HasSuffix(f.File, "_test.go")
		if !own && method != "" || !more {
			return fmt.Sprintf("%s, called at %s:%d", method, f.File, f.Line)
		}
		if own && !strings.HasPrefix(f.Function, module+"experimental/capi.") {
			method = strings.TrimPrefix(f.Function, module)
		}
	}
}
