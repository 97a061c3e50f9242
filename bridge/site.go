package bridge

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/c"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
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
	slot   *callbacks.Slot
	config contract.Config
	name   string
	form   form
	ids    int // number of operands that are ids
	tokens int // and of those that are tokens

	// What the module says of the site's shapes is held against the first call.
	checked atomic.Bool

	// The frame of a call that is over, for the next one: calls of a site rarely
	// overlap, and then one allocates.
	spare atomic.Pointer[frame]
}

// frame is what one call needs.
type frame struct {
	call   callbacks.Frame
	views  []tensor.View // operands, then results
	packed []packed      // results to pack after the call
}

// instantiate binds a call site, while XLA compiles.
func instantiate(attrs []c.Attr) (c.Site, int32, error) {
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

func siteOf(config contract.Config) (c.Site, error) {
	if config.Encoding != contract.EncodingDictionary {
		return instantiateForeign(config)
	}
	slot, err := callbacks.Resolve(config)
	if err != nil {
		return nil, err
	}
	return bind(slot, config), nil
}

func bind(slot *callbacks.Slot, config contract.Config) *site {
	return &site{
		slot: slot, config: config, name: config.Name(),
		form: formOf(config.Form), ids: config.NumIDs, tokens: config.NumTokens,
	}
}

// Delete implements c.Site.
func (s *site) Delete() {}

// Execute implements c.Site.
func (s *site) Execute(call *c.Call) (int32, string) {
	f := s.spare.Swap(nil)
	if f == nil {
		f = &frame{call: callbacks.Frame{Name: s.name, Config: s.config}}
	}
	run := runs.get(call.RunID())
	err := f.read(call, s)
	if err == nil && !s.checked.Load() {
		err = s.check(&f.call)
	}
	if err == nil {
		err = s.invoke(f, run)
		for _, p := range f.packed {
			p.pack()
		}
	}
	s.spare.Store(f)
	if err == nil {
		return 0, ""
	}
	return s.fail(run, err)
}

// invoke calls the function, in the context of its run.
func (s *site) invoke(f *frame, run *Run) error {
	ctx := context.Background()
	if run != nil {
		ctx = run.ctx
		if run.exec.devices != nil && run.failure.Load() != nil {
			f.clearResults(s)
			return nil
		}
	}
	if s.slot.NoOp() {
		f.clearResults(s)
	}
	f.call.SetContext(ctx)
	err := s.slot.Invoke(&f.call)
	f.call.SetContext(context.Background()) // its own would keep the run and its outputs
	if err != nil && run != nil && run.exec.devices != nil {
		f.clearResults(s)
	}
	return err
}

// fail keeps the error of a call for its run, and makes of it what XLA is told.
func (s *site) fail(run *Run, err error) (int32, string) {
	if run != nil {
		run.failure.CompareAndSwap(nil, &failure{err})
		if run.exec.devices != nil {
			// A device that stops would leave the others waiting in the next
			// collective operation, and after a minute XLA ends the process. So the
			// run goes on to its end, and fails there.
			return 0, ""
		}
	}
	return told(err)
}

// told is the code and the message of an error, whose methods may be anybody's.
func told(err error) (code int32, message string) {
	code = codeInternal
	defer func() {
		if p := recover(); p != nil {
			message = fmt.Sprintf("a method of the callback's error panicked: %v", p)
		}
	}()
	switch {
	case errors.Is(err, context.Canceled):
		code = codeCancelled
	case errors.Is(err, context.DeadlineExceeded):
		code = codeDeadline
	}
	return code, err.Error()
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
			return fmt.Errorf("bridge: callback %s: the module calls it with %s, which is not the signature that it was compiled for", s.name, signature)
		}
	}
	s.checked.Store(true)
	return nil
}
