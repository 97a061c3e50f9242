package callbacks

import (
	"errors"
	"fmt"
)

// ErrClosed is the error, for errors.Is, of registering a callback in a Registry that is
// closed. It is the same value as bridge.ErrClosed, jit.ErrClosed and stages.ErrClosed.
var ErrClosed = errors.New("closed")

// A SignatureError reports that a module calls a callback with other types than those it
// was registered for.
type SignatureError struct {
	Callback string
	Have     string // the registered signature, for example "f32[4]->f32[4]"
	Want     string // the module's, "" if only its hash is known
	WantHash string // the module's, as a contract.SignatureHash
}

func (e *SignatureError) Error() string {
	want := "was built for another signature (" + e.WantHash + "): preflight.Check finds out which"
	if e.Want != "" {
		want = "calls it with " + e.Want
	}
	return fmt.Sprintf("callbacks: callback %q is registered with the signature %s, but the module %s", e.Callback,
		e.Have, want)
}

// A PanicError reports a panic of a callback.
type PanicError struct {
	Value any
	Loc   string // Go file and line that panicked, "" if unknown
	Stack []byte // stack of the goroutine that panicked
}

// Error includes the value and the line but not the stack, which is in the field.
func (e *PanicError) Error() string {
	at := ""
	if e.Loc != "" {
		at = " at " + e.Loc
	}
	return fmt.Sprintf("the function panicked%s: %v", at, e.Value)
}

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
