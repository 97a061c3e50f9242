package callbacks

import (
	"errors"
	"reflect"
	"time"

	"github.com/calliope-mlir/calliope/contract"
)

// Options say how a callback is bound. The zero value accepts any module.
type Options struct {
	// Signature gives the types of the arguments and results, as contract.Signature writes
	// it. A module with another signature is rejected when it is compiled. The empty string
	// accepts any module. SignatureOf makes a signature from Go types.
	Signature string

	// Check, if not nil, is called with the configuration of each call site while a module is
	// compiled. Its error is the compile's error. For RegisterFunc, functions with a Check are
	// different.
	Check func(contract.Config) error

	// Static holds arguments that are bound here instead of being computed. The function
	// finds them in Frame.Static.
	Static []any

	// Key identifies a function for RegisterFunc: functions with equal keys are the same.
	// It must be comparable. Without a key, only the same func value is the same function:
	// a variable that holds it, or a package-level function. Two closures that capture
	// anything are different functions, even if they come from the same line, and so are
	// two method values. Closures that capture nothing may be the same. A callback with a
	// name must not have a key, because its name identifies it.
	Key any

	// Dispatch says how the function is called. The zero value is Inline.
	Dispatch Dispatch
	// Timeout limits how long one call may take, including the time that it waits for a
	// worker or for room in the queue. 0 means the registry's timeout. A timeout turns
	// Inline into Goroutine. In a run on several devices a call may never take longer than
	// 45 s, because XLA ends the process when devices wait for each other for a minute.
	Timeout time.Duration
	// PerSecond limits how many calls are made in a second. The calls are spaced: with 10, the
	// next one is made no sooner than 100 ms after the last. Of the calls between, the last one
	// of each call site and device is copied. It is made like an Async call when its time has
	// come, and before a barrier or the Close of the client at the latest. Its error is one for the
	// barrier, also with FailRun. The others are dropped. 0 means no limit. It cannot be used for
	// calls with results. A run that calls on its caller's goroutine drops the last one, too.
	PerSecond int
	// Parallel limits how many elements of a batch are computed at once, if the callback is called in parallel
	// (contract.Parallel). 0 means GOMAXPROCS. A batch is one call for Dispatch and Timeout.
	Parallel int
	// FailRun makes an error in the observe form fail the run. Without it the run goes on,
	// and the next barrier returns the error. In the other forms an error fails the run,
	// unless KeepErrors is set.
	FailRun bool
	// KeepErrors keeps the run going in every form, also after a timeout: the results of the call are zeros then, or
	// the operands that pass through, and the next barrier returns the error. Where a host runs a program on several
	// devices, a call that fails its run ends only the part of its device, and others may wait for that until XLA
	// ends the process. It excludes FailRun.
	KeepErrors bool
	// Measure makes Stats report how long the calls took. It costs an inline call a tenth
	// of a microsecond.
	Measure bool
}

// check returns an error if the options are not valid.
func (o Options) check() error {
	// Value.Comparable also looks into interfaces; a map would panic on a key that is not
	// comparable.
	if o.Key != nil && !reflect.ValueOf(o.Key).Comparable() {
		return errors.New("Options.Key is not comparable: use a string, a number, a pointer or a struct of those")
	}
	if err := o.checkDispatch(); err != nil {
		return err
	}
	if o.Signature == "" {
		return nil
	}
	// No module could ever match another spelling.
	_, _, err := contract.ParseSignature(o.Signature)
	return err
}

// equal reports whether a function with either options is the same callback. Static
// arguments are compared by ==, or deeply if they have no ==.
func (o Options) equal(other Options) bool {
	if len(o.Static) != len(other.Static) {
		return false
	}
	for i, a := range o.Static {
		if !equalStatic(a, other.Static[i]) {
			return false
		}
	}
	o.Static, other.Static = nil, nil
	o.Key, other.Key = nil, nil // the lookup has compared the keys
	return reflect.DeepEqual(o, other)
}

func equalStatic(a, b any) bool {
	if a == nil || b == nil {
		return a == b
	}
	if reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() {
		return a == b
	}
	return reflect.DeepEqual(a, b)
}

// checkNamed is check for a callback with a name.
func (o Options) checkNamed() error {
	if o.Key != nil {
		return errors.New("Options.Key has no effect for a callback with a name: leave it out")
	}
	return o.check()
}
