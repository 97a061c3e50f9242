package callbacks

import (
	"errors"
	"reflect"
	"time"

	"github.com/calliope-mlir/calliope/contract"
)

// Options say how a callback is bound. The zero value accepts any module.
type Options struct {
	// Signature is what the function takes and gives, as contract.Signature writes it; a
	// module that was built for another one is refused when it is compiled. Empty
	// accepts any. SignatureOf makes one from Go types.
	Signature string

	// Static are arguments that are bound here instead of being computed: the function
	// finds them in Frame.Static.
	Static []any

	// Key says for RegisterFunc which functions are the same one: those with an equal
	// key. It must be comparable. Without a key a function is the same only as itself,
	// the very func value: a variable that holds it, or a function of a package. Two
	// closures that capture anything are two functions, also when they come from one
	// line, and so are two method values; closures that capture nothing may be one.
	// A callback with a name has no key: its name is that.
	Key any

	// Dispatch is the way in which the function is called; the zero value is Inline.
	Dispatch Dispatch
	// Timeout is how long one call may take, waiting for a worker or for room in the
	// queue included; 0 is the registry's. With it Inline becomes Goroutine. In a run on
	// several devices a call may never take longer than 45 s, because XLA ends the
	// process when devices wait for one another for a minute.
	Timeout time.Duration
	// PerSecond is how many calls are made in a second at most; the others are dropped
	// before anything is copied. 0 is all of them. Not for calls with results.
	PerSecond int
	// FailRun has an error in the observe form fail the run. Without it the run goes on,
	// and the error is the next barrier's. In the other forms an error fails the run
	// always.
	FailRun bool
	// Measure has Stats show how long the calls took; it costs an inline call a tenth
	// of a microsecond.
	Measure bool
}

// check says what is wrong with the options.
func (o Options) check() error {
	// Value.Comparable looks into interfaces, too; a map would panic on what is not.
	if o.Key != nil && !reflect.ValueOf(o.Key).Comparable() {
		return errors.New("the key is not comparable: use a string, a number, a pointer or a struct of those")
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

// equal reports whether one function with either options is one callback. Static
// arguments are compared by ==, or deeply where they have no ==.
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
	o.Key, other.Key = nil, nil // looked up by it
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

// checkNamed is check for a callback that has a name.
func (o Options) checkNamed() error {
	if o.Key != nil {
		return errors.New("it has a name, so Options.Key means nothing: leave it out")
	}
	return o.check()
}
