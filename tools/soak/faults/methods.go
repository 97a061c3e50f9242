package faults

import (
	"fmt"

	"github.com/calliope-mlir/calliope/callbacks"
)

// odd is a function that returns an error, or panics with a value, whose methods misbehave.
// The run must end with that same value.
func odd(name string, fail func(i int) error) misbehaviour {
	return misbehaviour{name: name, ways: everyWay,
		fn: func(f *callbacks.Frame) error { return fail(numberOf(f)) },
		want: func(err error, i int) error {
			// Not with errors.As, which would call the methods.
			var v any = err
			if p, ok := err.(*callbacks.PanicError); ok {
				v = p.Value
			}
			n, ok := v.(interface{ injection() int })
			if !ok || i != anyNumber && n.injection() != i {
				return fmt.Errorf("got a %T that contains a %T, want the value of the injection", err, v)
			}
			return nil
		},
	}
}

// injected is the number of the injection that a value belongs to.
type injected int

func (i injected) injection() int { return int(i) }
func (i injected) Error() string  { return fmt.Sprintf("injection %d", int(i)) }

// methodFaults are faults of the methods of errors and of panic values.
func methodFaults() []misbehaviour {
	return []misbehaviour{
		odd("error whose Unwrap panics", func(i int) error { return unwrapPanics{injected(i)} }),
		odd("panic with a value whose String panics", func(i int) error { panic(stringPanics(i)) }),
	}
}

type unwrapPanics struct{ injected }

func (unwrapPanics) Unwrap() error { panic("no unwrapping") }

type stringPanics int

func (i stringPanics) injection() int { return int(i) }
func (stringPanics) String() string   { panic("no text") }
