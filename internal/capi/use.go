package capi

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

// A context is used by one goroutine at a time: its library has no locks. Each call into C
// by way of a context's table marks it as in use, and one that finds the mark panics. The
// mark is no atomic, as that of Go's maps is none, for it stands around calls of tens of
// nanoseconds: a use by two is nearly always found, and never found where there is none.

const (
	free     = 0
	inUse    = 1
	contends = 2 // in use, and somebody waits to be told by whom
)

// use is the mark of one context, and whether it holds what is nested deeply.
type use struct {
	deep bool

	state  uint32
	holder atomic.Pointer[string] // where the use is that another one collided with
	rival  atomic.Pointer[string] // where somebody is who collided
}

// ForContext is a table of the same functions for one context. With threads, the library
// calls Go from several at once.
func (t *Table) ForContext(threads bool) *Table {
	c := *t
	c.use = new(use)
	c.SetThreads(threads)
	return &c
}

// SetThreads says whether the library calls Go from several threads at once.
func (t *Table) SetThreads(on bool) {
	t.mark = t.use
	if on {
		t.mark = nil
	}
}

func (t *Table) enter() {
	if m := t.mark; m != nil {
		if m.state != free {
			m.collide()
		}
		m.state = inUse
	}
}

func (t *Table) leave() {
	if m := t.mark; m != nil {
		if m.state == contends {
			m.tell()
		}
		m.state = free
	}
}

// pause lets Go that C calls use the context. The returned function ends that.
func (t *Table) pause() (end func()) {
	if t.mark == nil {
		return func() {}
	}
	t.leave()
	return t.enter
}

// SetDeep says whether the context holds what is nested deeply. Functions that recurse on
// it are then called on a large stack.
func (t *Table) SetDeep(deep bool) { t.use.deep = deep }

// Deep reports what SetDeep said.
func (t *Table) Deep() bool { return t.deep() }

func (t *Table) deep() bool { return t.use != nil && t.use.deep }

// onLargeStack calls f on a large stack, with a table that does not do so again.
func (t *Table) onLargeStack(f func(*Table)) {
	flat := *t
	flat.use = nil
	if err := OnLargeStack(func() { f(&flat) }); err != nil {
		panic(fmt.Sprintf("mlir: what is nested deeply needs a large stack: %v", err))
	}
}

// holderWait is how long a call that was in the way may take until it says where it is.
const holderWait = 5 * time.Second

// collide panics with the places of both users. Two may find each other's mark: then
// neither is in a call that could tell.
func (u *use) collide() {
	mine, other := place(), "one that has been in a call for seconds"
	if rival := u.rival.Swap(&mine); rival != nil {
		other = *rival
	} else {
		u.holder.Store(nil)
		for end := time.Now().Add(holderWait); time.Now().Before(end); time.Sleep(time.Millisecond) {
			// Again and again: the mark of a call that has just ended may have undone it.
			atomic.StoreUint32(&u.state, contends)
			at := u.holder.Load()
			if rival := u.rival.Load(); at == nil && rival != &mine {
				at = rival
			}
			if at != nil {
				other = *at
				break
			}
		}
	}
	panic(fmt.Sprintf("mlir: a Context is used by two goroutines at once: here in %s, and there in %s: "+
		"give each goroutine a Context of its own, or hold a lock", mine, other))
}

// tell says where the use is that another one waits for.
func (u *use) tell() {
	at := place()
	u.holder.Store(&at)
}

const here = "github.com/calliope-mlir/calliope/"

// place is the method that somebody outside of this module called, and where.
func place() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	method := ""
	for {
		f, more := frames.Next()
		own := strings.HasPrefix(f.Function, here) && !strings.HasSuffix(f.File, "_test.go")
		if !own && method != "" || !more {
			return fmt.Sprintf("%s, called at %s:%d", method, f.File, f.Line)
		}
		if own && !strings.HasPrefix(f.Function, here+"internal/capi.") {
			method = strings.TrimPrefix(f.Function, here)
		}
	}
}
