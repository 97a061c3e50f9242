package bridge

import (
	"sync"

	"github.com/calliope-mlir/calliope/internal/ffi"
)

// Read implements dispatch.Source: it makes views of XLA's call frame.
func (f *frame) Read() error {
	if !f.again(f.ffi, f.site) {
		if err := f.site.look(f, f.ffi); err != nil {
			f.drop()
			return err
		}
	}
	f.results = len(f.call.Results)
	if f.run != nil && f.run.debug {
		return f.debug()
	}
	return nil
}

// Clear implements dispatch.Source.
func (f *frame) Clear() error {
	defer f.drop()
	s := f.site
	if s.form == formObserve {
		return s.clearTokens(f.ffi.Results())
	}
	if !f.again(f.ffi, s) {
		if err := s.look(f, f.ffi); err != nil {
			return err
		}
	}
	f.clearResults(s)
	return nil
}

// Finish implements dispatch.Source: it looks whether the results are where XLA expects
// them, and makes of the views what XLA is to find.
func (f *frame) Finish(err error) error {
	if err == nil && f.ffi != nil {
		err = f.inPlace(f.ffi, f.results)
	}
	run := f.run
	if run != nil && run.debug {
		err = f.endDebug(err)
	}
	if err != nil && run != nil && run.several {
		f.clearResults(f.site)
	}
	for _, p := range f.packed {
		p.pack()
	}
	f.drop()
	return err
}

// drop forgets the run. The frame would keep it, and its outputs.
func (f *frame) drop() { f.run = nil }

// Defer implements dispatch.Source: where XLA can do without its thread waiting, it gets a
// future.
func (f *frame) Defer() func(error) {
	future, ok := f.ffi.Defer()
	if !ok {
		return nil
	}
	f.ffi = nil // it is the thread's
	l := newLater()
	l.site, l.run, l.future = f.site, f.run, future
	if f.lane < 0 {
		l.spare = f
	}
	return l.done
}

// later is what ends a deferred call.
type later struct {
	site   *site
	run    *Run
	future ffi.Future
	spare  *frame      // of the call, nil where it has a lane
	done   func(error) // finish
}

var laters sync.Pool

func newLater() *later {
	l, _ := laters.Get().(*later)
	if l == nil {
		l = new(later)
		l.done = l.finish
	}
	return l
}

func (l *later) finish(err error) {
	s, run, future := l.site, l.run, l.future
	if l.spare != nil {
		s.spare.Put(l.spare)
	}
	*l = later{done: l.done}
	laters.Put(l)
	if err == nil {
		future.Finish(0, "")
	} else {
		future.Finish(s.fail(run, err))
	}
}
