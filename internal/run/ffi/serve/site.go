package serve

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
	"github.com/calliope-mlir/calliope/internal/run/hostcall"
	"github.com/calliope-mlir/calliope/tensor"
)

// A form is a contract.Form that is cheap to compare.
type form uint8

const (
	formPassthrough form = iota
	formObserve
	formCall // impure or pure, which the bridge does not distinguish
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

// A site is one call site of an executable, bound to a function. XLA calls it on its own
// threads, possibly concurrently.
type site struct {
	slot   *dispatch.Slot
	config contract.Config
	name   string
	form   form

	attributes callbacks.Attributes // of a call of a foreign target

	// checked is set once the first call was compared with the module's signature.
	checked atomic.Bool

	// frames has one frame for each of the slot's lanes, spare those of calls without one.
	frames [dispatch.Lanes]*frame
	spare  sync.Pool
}

// Instantiate binds a call site while XLA compiles. Only a client of this module knows what to do with the
// number of an error, see Cause: a host gets its text.
func Instantiate(attrs []contract.Attr, hosted bool) (ffi.Site, int32, error) {
	refuse := func(code int32, err error) (ffi.Site, int32, error) {
		if hosted {
			return nil, code, err
		}
		return nil, code, errors.New(causes.add(err))
	}
	config, err := contract.Decode(attrs)
	if err != nil {
		return refuse(codeInvalidArgument, err)
	}
	site, err := siteOf(config)
	if err != nil {
		code := int32(codeInvalidArgument)
		if unknown := new(callbacks.UnknownError); errors.As(err, &unknown) {
			code = codeNotFound
		}
		return refuse(code, err)
	}
	return site, 0, nil
}

func siteOf(config contract.Config) (ffi.Site, error) {
	slot, err := hostcall.Resolve(config)
	switch {
	case err != nil && config.Loc != "":
		return nil, fmt.Errorf("%w (called at %s)", err, config.Loc)
	case err != nil:
		return nil, err
	case slot == nil:
		return &operandSite{config: config}, nil
	case config.Host.Encoding == contract.EncodingWords:
		passing := config
		passing.Form = contract.Passthrough
		return &wordsSite{call: bind(slot, config), pass: bind(slot, passing)}, nil
	}
	return bind(slot, config), nil
}

func bind(slot *dispatch.Slot, config contract.Config) *site {
	return &site{slot: slot, config: config, name: config.Name(), form: formOf(config.Form)}
}

// Delete implements ffi.Site.
func (s *site) Delete() { s.slot.Close() }

// Name implements ffi.Named.
func (s *site) Name() string { return s.name }

// Execute implements ffi.Site.
func (s *site) Execute(call *ffi.Call) (int32, string) {
	if stream, ok := call.Stream(); ok {
		return executeOn(s, call, stream)
	}
	return s.execute(call, nil)
}

func (s *site) execute(call *ffi.Call, d *deviceCall) (int32, string) {
	f := s.frame(call)
	run := runOf(call)
	f.ffi, f.run, f.device = call, run, d
	f.call.Device, f.call.RunID = call.Device(), call.RunID()
	later, err := s.slot.Do(&f.call, run.calls())
	if later {
		return 0, ""
	}
	if f.lane < 0 { // otherwise a later call may have it already
		s.spare.Put(f)
	}
	if err == nil {
		return 0, ""
	}
	return s.fail(run, err)
}

// frame returns a frame for a call. Concurrent calls have different runs or devices, and so
// begin with different lanes.
func (s *site) frame(call *ffi.Call) *frame {
	lane := s.slot.Lane(int(call.RunID()) + call.Device())
	if lane >= 0 {
		f := s.frames[lane]
		if f == nil {
			f = newFrame(s, lane)
			s.frames[lane] = f
		}
		return f
	}
	if f, _ := s.spare.Get().(*frame); f != nil {
		return f
	}
	return newFrame(s, -1)
}

// readFrame reads a call frame. It compares the site's first one with the module.
func (s *site) readFrame(f *frame, call *ffi.Call) error {
	if err := f.read(call, s); err != nil || s.checked.Load() {
		return err
	}
	err := s.check(&f.call.Frame)
	if err != nil {
		f.args = -1 // check the next call, too
	}
	return err
}

// clearTokens writes the results of a call that only observes.
func (s *site) clearTokens(results *ffi.Buffers) error {
	for i := range results.Len() {
		var l layout
		var v tensor.View
		if _, err := l.read(&v, results.At(i)); err != nil {
			return &frameError{fmt.Errorf("result %d: %w", i, err)}
		}
		clear(v.Data)
	}
	return nil
}

// refuse is fail for a call that the slot does not get.
func (s *site) refuse(call *ffi.Call, err error) (int32, string) {
	return s.fail(runOf(call), &callbacks.CallError{
		Callback: s.name, Loc: s.config.Loc, Device: call.Device(), RunID: call.RunID(), Err: err,
	})
}

// fail stores the error of a call for its run, and returns the status for XLA.
func (s *site) fail(run *Run, err error) (int32, string) {
	if run != nil {
		run.Calls.Fail(err)
		if run.Several {
			// If one device stopped, the others would wait for it in the next
			// collective operation, and after a minute XLA would end the process. So the
			// run continues, and fails at its end.
			return 0, ""
		}
	}
	return statusOf(s.name, run, err)
}

// check compares the first call with the signature in the module.
func (s *site) check(call *callbacks.Frame) error {
	shapes := func(views []tensor.View) []tensor.Shape {
		list := make([]tensor.Shape, len(views))
		for i, v := range views {
			list[i] = v.Shape
		}
		return list
	}
	if s.config.Signature != "" { // without one, nothing is compared
		if err := hostcall.Check(s.config, shapes(call.Args), shapes(call.Results)); err != nil {
			return &frameError{err}
		}
	}
	s.checked.Store(true)
	return nil
}
