package bridge

import (
	"reflect"
	"runtime"
	"sync"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/ffi"
)

// helpersKept is how many goroutines wait for the next run that is to be executed by
// somebody else than who waits for it. There are more while more such runs are inside
// of XLA, which the gates bound.
const helpersKept = 16

// helpers are the goroutines that wait for work.
var helpers struct {
	sync.Mutex
	idle []*helper
}

// helper executes runs, one after another: XLA runs a small module inside of the call
// that starts it, and whoever started it could not leave before the end.
type helper struct{ work chan *Run }

// help has a helper launch the run.
func help(r *Run) {
	helpers.Lock()
	var h *helper
	if n := len(helpers.idle); n > 0 {
		h = helpers.idle[n-1]
		helpers.idle = helpers.idle[:n-1]
	}
	helpers.Unlock()
	if h == nil {
		h = &helper{make(chan *Run, 1)}
		go h.serve()
	}
	h.work <- r
}

func (h *helper) serve() {
	for r := range h.work {
		r.launchInside()
		if !h.rest() {
			return
		}
	}
}

// rest has the helper wait for more work, where not enough do.
func (h *helper) rest() bool {
	helpers.Lock()
	defer helpers.Unlock()
	if len(helpers.idle) >= helpersKept {
		return false
	}
	helpers.idle = append(helpers.idle, h)
	return true
}

// launchInside launches the run as if its thread were inside of what that of the caller
// is.
func (r *Run) launchInside() {
	if len(r.inside) > 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for i := len(r.inside) - 1; i >= 0; i-- {
			defer ffi.Leave(ffi.Enter(r.inside[i]))
		}
	}
	returned := false
	defer func() {
		if !returned {
			r.lost()
		}
	}()
	r.launch(false, true)
	returned = true
}

// lost ends the wait for a run in which a callback has ended the goroutine that launched
// it, with runtime.Goexit: XLA is not returned to, and does not end it. The thread ends
// with the goroutine, for what C keeps of it is of calls that are never returned to.
func (r *Run) lost() {
	runtime.LockOSThread()
	e := &callbacks.GoexitError{}
	for _, call := range ffi.InFlight() {
		if call.RunID == int64(r.id) {
			e.Callback = call.Name
		}
	}
	r.leave(e)
}

// onHelper reports whether the caller is a function that a helper's run calls on the
// helper's own goroutine, which can end.
func onHelper() bool {
	var callers [128]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	for {
		f, more := frames.Next()
		if f.Function == helperFunction {
			return true
		}
		if !more {
			return false
		}
	}
}

// helperFunction is the name of launchInside.
var helperFunction = runtime.FuncForPC(reflect.ValueOf((*Run).launchInside).Pointer()).Name()
