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

// use is the mark of one context.
type use struct {
	state  uint32
	holder atomic.Pointer[string] // where the use is that another one collided with
}

// ForContext is a table of the same functions for one context.
func (t *Table) ForContext() *Table {
	c := *t
	c.use = new(use)
	return &c
}

func (t *Table) enter() {
	if t.use != nil {
		if t.use.state != free {
			t.use.collide()
		}
		t.use.state = inUse
	}
}

func (t *Table) leave() {
	if t.use != nil {
		if t.use.state == contends {
			t.use.tell()
		}
		t.use.state = free
	}
}

// pause lets Go that C calls use the context. The returned function ends that.
func (t *Table) pause() (end func()) {
	if t.use == nil {
		return func() {}
	}
	t.leave()
	return t.enter
}

// holderWait is how long a call that was in the way may take until it says where it is.
const holderWait = 5 * time.Second

// collide panics with the places of both users.
func (u *use) collide() {
	u.holder.Store(nil)
	atomic.StoreUint32(&u.state, contends)
	other := "one that has been in a call for seconds"
	for end := time.Now().Add(holderWait); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if at := u.holder.Load(); at != nil {
			other = *at
			break
		}
	}
	panic(fmt.Sprintf("mlir: a Context is used by two goroutines at once: here in %s, and there in %s: "+
		"give each goroutine a Context of its own, or hold a lock", place(), other))
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
