package serve

import (
	"errors"
	"sync"

	"github.com/calliope-mlir/calliope/internal/run/ffi"
)

// Read implements dispatch.Transport: it makes views of XLA's call frame.
func (f *frame) Read() error {
	if err := f.device.fetch(); err != nil {
		f.clearRun()
		return err
	}
	if !f.reread(f.ffi, f.site) {
		if err := f.site.readFrame(f, f.ffi); err != nil {
			f.clearRun()
			return err
		}
	}
	f.results = len(f.call.Results)
	if f.run != nil && f.run.Debug {
		return f.debug()
	}
	return nil
}

// Clear implements dispatch.Transport.
func (f *frame) Clear() error {
	defer f.clearRun()
	s := f.site
	if f.device != nil {
		bring := f.device.clear
		if s.form == formPassthrough {
			if f.device.inPlace() {
				return nil
			}
			bring = f.device.fetch
		}
		if err := bring(); err != nil {
			return err
		}
	}
	if s.form == formObserve {
		if err := s.clearTokens(f.ffi.Results()); err != nil {
			return err
		}
		return f.device.give()
	}
	if err := f.zero(); err != nil {
		return err
	}
	return f.device.give()
}

// zero clears the results that XLA has, which the function may have replaced in the frame.
func (f *frame) zero() error {
	if f.ffi != nil && !f.reread(f.ffi, f.site) {
		if err := f.site.readFrame(f, f.ffi); err != nil {
			return err
		}
	}
	f.clearResults(f.site)
	return nil
}

// Finish implements dispatch.Transport: it checks that the function did not replace results,
// and packs those that XLA expects packed.
func (f *frame) Finish(err error, zeros bool) error {
	if err == nil && f.ffi != nil {
		err = f.inPlace(f.ffi, f.results)
	}
	run := f.run
	if run != nil && run.Debug {
		err = f.endDebug(err)
	}
	zeros = err != nil && (zeros || run != nil && run.Several)
	if zeros {
		if failed := f.zero(); failed != nil {
			f.clearRun()
			return errors.Join(err, failed)
		}
	}
	for _, p := range f.packed {
		p.Pack()
	}
	if f.device != nil && (err == nil || zeros) {
		if failed := f.device.give(); failed != nil {
			err = errors.Join(err, failed)
		}
	}
	f.clearRun()
	return err
}

// clearRun removes the run from the frame, which would otherwise keep the run and its
// outputs.
func (f *frame) clearRun() { f.run, f.device = nil, nil }

// Defer implements dispatch.Transport: it returns a future's function if XLA's thread need not
// wait.
func (f *frame) Defer() func(error) {
	future, ok := f.ffi.Defer()
	if !ok {
		return nil
	}
	f.ffi = nil // it is valid only on XLA's thread
	l := newDeferredCall()
	l.site, l.run, l.future, l.device = f.site, f.run, future, f.device
	if f.device != nil {
		f.device.deferred = true
	}
	if f.lane < 0 {
		l.spare = f
	}
	return l.done
}

// A deferredCall ends a call whose thread did not wait.
type deferredCall struct {
	site   *site
	run    *Run
	future ffi.Future
	spare  *frame      // of the call; nil if it has a lane
	device *deviceCall // nil if the operands and results are in host memory
	done   func(error) // finish
}

var deferredCalls sync.Pool

func newDeferredCall() *deferredCall {
	l, _ := deferredCalls.Get().(*deferredCall)
	if l == nil {
		l = new(deferredCall)
		l.done = l.finish
	}
	return l
}

func (l *deferredCall) finish(err error) {
	s, run, future := l.site, l.run, l.future
	l.device.release()
	if l.spare != nil {
		s.spare.Put(l.spare)
	}
	*l = deferredCall{done: l.done}
	deferredCalls.Put(l)
	if err == nil {
		future.Finish(0, "")
	} else {
		future.Finish(s.fail(run, err))
	}
}
