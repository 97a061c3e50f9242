package callbacks

import "fmt"

// SignatureError says that a module calls a callback with other types than it was
// registered for.
type SignatureError struct {
	Callback string
	Have     string // the registered signature, for example "f32[4]->f32[4]"
	Want     string // the module's, "" where only its hash is known
	WantHash string // the module's, as a contract.SignatureHash
}

func (e *SignatureError) Error() string {
	want := "was built for another one (" + e.WantHash + "): preflight.Check says for which"
	if e.Want != "" {
		want = "calls it with " + e.Want
	}
	return fmt.Sprintf("callbacks: callback %q is registered with the signature %s, but the module %s", e.Callback, e.Have, want)
}

// PanicError is a panic of a callback.
type PanicError struct {
	Callback string
	Value    any
	Stack    []byte // of the goroutine that panicked
}

// Error shows the value; the stack is in the field.
func (e *PanicError) Error() string {
	return fmt.Sprintf("callbacks: callback %q panicked: %v", e.Callback, e.Value)
}

// Unwrap is the panic's value where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
