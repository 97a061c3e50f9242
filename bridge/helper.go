package bridge

import (
	"reflect"
	"runtime"
	"sync"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
)

// helpersKept is how many idle helper goroutines are kept. There are more while more runs
// are inside XLA; the gates limit that number.
const helpersKept = 16

// helpers are the goroutines that wait for work.
var helpers struct {
	sync.Mutex
	idle []*helper
}

// A helper is a goroutine that launches runs, one after another. XLA executes a small
// module inside the call that launches it. A goroutine that waits for the run could not
// return from that call when its context ends, so a helper makes it.
type helper struct{ work chan *Run }

// launchOnHelper launches the run on a helper.
func launchOnHelper(r *Run) {
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
		if !h.park() {
			return
		}
	}
}

// park adds the helper to the idle ones. It returns false if there are enough.
func (h *helper) park() bool {
	helpers.Lock()
	defer helpers.Unlock()
	if len(helpers.idle) >= helpersKept {
		return false
	}
	helpers.idle = append(helpers.idle, h)
	return true
}

// launchInside launches the run. If the caller of Run is inside callbacks, the thread is
// marked to be inside the same ones.
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
			r.exited()
		}
	}()
	r.launch(false, true)
	returned = true
}

// exited ends the wait for a run in which a callback called runtime.Goexit on the goroutine
// that launched it. XLA's frames are never returned to, so XLA does not report the end of
// the run. The thread must end with the goroutine, because C keeps state of the unfinished
// calls for it.
func (r *Run) exited() {
	runtime.LockOSThread()
	e := &callbacks.CallError{Device: r.device, RunID: int64(r.served.ID()), Err: &callbacks.GoexitError{}}
	for _, call := range ffi.InFlight() {
		if call.RunID == int64(r.served.ID()) {
			e.Callback = call.Name
		}
	}
	r.order.Exited(e)
	r.abandon(e)
}

// onHelper reports whether the caller is a callback on the goroutine of a helper, which may
// exit.
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
