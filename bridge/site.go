package bridge

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/ffi"
	"github.com/calliope-mlir/calliope/tensor"
)

// form is the contract's, in a form that takes no time to compare.
type form uint8

const (
	formPassthrough form = iota
	formObserve
	formCall // impure or pure: to the bridge they are the same
)

func formOf(f contract.Form) form {
	switch f {
	case contract.Passthrough:
		return formPassthrough
	case contract.Observe:
		return formObserve
	}
	return formCall
}

// site is one call site of an executable, bound to a function. XLA calls it on
// threads of its own, several at once.
type site struct {
	slot     *callbacks.Slot
	config   contract.Config
	name     string
	form     form
	picky    bool // not every call may be made
	deferred bool // XLA need not wait for a call
	ids      int  // number of operands that are ids
	tokens   int  // and of those that are tokens

	// What the module says of the site's shapes is held against the first call.
	checked atomic.Bool

	// The frame of each of the slot's lanes, and those of calls that got none.
	frames [callbacks.Lanes]*frame
	spare  sync.Pool
}

// instantiate binds a call site, while XLA compiles.
func instantiate(attrs []ffi.Attr) (ffi.Site, int32, error) {
	list := make([]contract.Attr, len(attrs))
	for i, a := range attrs {
		list[i] = contract.Attr{Key: a.Key, Value: a.Value}
	}
	config, err := contract.Decode(list)
	if err != nil {
		return nil, codeInvalidArgument, errors.New(passing.give(err))
	}
	site, err := siteOf(config)
	if err != nil {
		code := int32(codeInvalidArgument)
		if unknown := new(callbacks.UnknownError); errors.As(err, &unknown) {
			code = codeNotFound
		}
		return nil, code, errors.New(passing.give(err))
	}
	return site, 0, nil
}

func siteOf(config contract.Config) (ffi.Site, error) {
	if config.Encoding != contract.EncodingDictionary {
		return instantiateForeign(config)
	}
	slot, err := callbacks.Resolve(config)
	if err != nil {
		if config.Loc != "" {
			err = fmt.Errorf("%w (called at %s)", err, config.Loc)
		}
		return nil, err
	}
	return bind(slot, config), nil
}

func bind(slot *callbacks.Slot, config contract.Config) *site {
	return &site{
		slot: slot, config: config, name: config.Name(),
		form: formOf(config.Form), ids: config.NumIDs, tokens: config.NumTokens,
		picky: slot.Picky(), deferred: slot.Deferred(),
	}
}

// Delete implements ffi.Site.
func (s *site) Delete() { s.slot.Close() }

// Execute implements ffi.Site.
func (s *site) Execute(call *ffi.Call) (int32, string) {
	f := s.claim(call)
	run := runs.get(call.RunID())
	later, err := s.execute(f, call, run)
	if later {
		return 0, ""
	}
	s.free(f)
	if err == nil {
		return 0, ""
	}
	return s.fail(run, err)
}

// claim is a frame for a call. Calls at once are of different runs or on different
// devices, and so begin to look at different lanes.
func (s *site) claim(call *ffi.Call) *frame {
	lane := (int(call.RunID()) + call.Device()) & (callbacks.Lanes - 1)
	for range 3 {
		if s.slot.Claim(lane) {
			f := s.frames[lane]
			if f == nil {
				f = newFrame(s, lane)
				f.call.SetClaimed()
				s.frames[lane] = f
			}
			return f
		}
		lane = (lane + 1) & (callbacks.Lanes - 1)
	}
	if f, _ := s.spare.Get().(*frame); f != nil {
		return f
	}
	return newFrame(s, -1)
}

// free makes a frame a later call's.
func (s *site) free(f *frame) {
	if f.lane >= 0 {
		s.slot.Release(f.lane, &f.call)
	} else {
		s.spare.Put(f)
	}
}

// execute makes the call. Where it is over later, f is the call's until then.
func (s *site) execute(f *frame, call *ffi.Call, run *Run) (later bool, err error) {
	if s.picky && s.form == formObserve && s.slot.Skip(run.group()) {
		return false, s.clearTokens(call.Results())
	}
	if !f.again(call, s) {
		if err := s.look(f, call); err != nil {
			s.slot.NotMade(err)
			return false, err
		}
	}
	if run != nil {
		if run.several && run.failure.Load() != nil {
			s.slot.NotMade(nil)
			f.clearResults(s)
			return false, nil
		}
		f.call.SetRun(&run.calls)
	}
	if s.picky && s.form != formObserve && s.slot.Skip(run.group()) {
		f.clearResults(s)
	} else if run != nil && run.debug {
		err = s.debug(f, run)
	} else if s.deferred && s.defers(f, call, run) {
		return true, nil
	} else {
		err = s.invoke(f, call)
	}
	f.call.SetRun(nil) // it would keep the run and its outputs
	s.leave(f, run, err)
	return false, err
}

// invoke makes the call, and looks whether the results are where they are expected.
func (s *site) invoke(f *frame, call *ffi.Call) error {
	n := len(f.call.Results)
	err := s.slot.Invoke(&f.call)
	if err == nil {
		if err = f.inPlace(call, n); err != nil {
			s.slot.Spoiled(&f.call)
		}
	}
	return err
}

// look reads a call frame, and holds the site's first one against the module.
func (s *site) look(f *frame, call *ffi.Call) error {
	if err := f.read(call, s); err != nil || s.checked.Load() {
		return err
	}
	err := s.check(&f.call)
	if err != nil {
		f.args = -1 // the next call is no better
	}
	return err
}

// clearTokens makes the results of a call that only observes.
func (s *site) clearTokens(results *ffi.Buffers) error {
	for i := range results.Len() {
		var l layout
		var v tensor.View
		if _, err := l.read(&v, results.At(i)); err != nil {
			return &frameError{s.name, fmt.Errorf("result %d: %w", i, err)}
		}
		clear(v.Data)
	}
	return nil
}

// leave makes of the views what XLA is to find.
func (s *site) leave(f *frame, run *Run, err error) {
	if err != nil && run != nil && run.several {
		f.clearResults(s)
	}
	for _, p := range f.packed {
		p.pack()
	}
}

// later is what ends a deferred call. It is kept with its frame.
type later struct {
	site   *site
	frame  *frame
	run    *Run
	future ffi.Future
	done   func(error) // finish
}

func (l *later) finish(err error) {
	s, f, run, future := l.site, l.frame, l.run, l.future
	l.run = nil
	f.call.SetRun(nil)
	s.leave(f, run, err)
	s.free(f)
	if err == nil {
		future.Finish(0, "")
	} else {
		future.Finish(s.fail(run, err))
	}
}

// defers makes a call that XLA's thread does not wait for, where XLA can do without.
func (s *site) defers(f *frame, call *ffi.Call, run *Run) bool {
	future, ok := call.Defer()
	if !ok {
		return false
	}
	if f.later == nil {
		f.later = &later{site: s, frame: f}
		f.later.done = f.later.finish
	}
	f.later.run, f.later.future = run, future
	if later, err := s.slot.Begin(&f.call, f.later.done); !later {
		f.later.finish(err)
	}
	return true
}

// fail keeps the error of a call for its run, and makes of it what XLA is told.
func (s *site) fail(run *Run, err error) (int32, string) {
	if run != nil {
		run.failure.CompareAndSwap(nil, &failure{err})
		if run.several {
			// A device that stops would leave the others waiting in the next
			// collective operation, and after a minute XLA ends the process. So the
			// run goes on to its end, and fails there.
			return 0, ""
		}
	}
	return told(s.name, run, err)
}

// check holds the first call against the signature in the module: compiled code
// that says one thing and does another is refused before Go reads its memory.
func (s *site) check(call *callbacks.Frame) error {
	shapes := func(views []tensor.View) []tensor.Shape {
		list := make([]tensor.Shape, len(views))
		for i, v := range views {
			list[i] = v.Shape
		}
		return list
	}
	if want := s.config.Signature; want != "" {
		signature := contract.Signature(shapes(call.Args), shapes(call.Results))
		if contract.SignatureHash(signature) != want {
			return &frameError{s.name, fmt.Errorf("the module calls it with %s, which is not the signature that it was compiled for", signature)}
		}
	}
	s.checked.Store(true)
	return nil
}
