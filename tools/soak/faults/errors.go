package faults

import (
	"errors"
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

// numbered is the error of one injection. It distinguishes the errors of concurrent runs.
type numbered struct{ i int }

func (e *numbered) Error() string { return fmt.Sprintf("fault %d", e.i) }

// causeOf returns the error of the faulty function whose call failed a run, or err if no call of it did.
func causeOf(err error) error {
	if e, ok := err.(*callbacks.CallError); ok && e.Callback == faulty {
		return e.Err
	}
	return err
}

// anyNumber is for errors that a barrier returns together.
const anyNumber = -1

// isNumbered checks that err contains the error of that injection.
func isNumbered(err error, i int) error {
	var n *numbered
	if !errors.As(err, &n) {
		return fmt.Errorf("got the error %v, want one of the injection", err)
	}
	if i != anyNumber && n.i != i {
		return fmt.Errorf("got the error of injection %d", n.i)
	}
	return nil
}

// isA checks that err contains an error of a type for which also returns nil.
func isA[E error](also func(E) error) func(err error, i int) error {
	return func(err error, _ int) error {
		var e E
		if !errors.As(err, &e) {
			return fmt.Errorf("got the error %.200v, want a %T", text(err), e)
		}
		if also == nil {
			return nil
		}
		return also(e)
	}
}

// is checks for an error.
func is(want error) func(err error, i int) error {
	return func(err error, _ int) error {
		if !errors.Is(err, want) {
			return fmt.Errorf("got the error %.200v, want %v", text(err), want)
		}
		return nil
	}
}

// says checks for an error whose text has a part.
func says(part string) func(err error, i int) error {
	return func(err error, _ int) error {
		if err == nil || !strings.Contains(err.Error(), part) {
			return fmt.Errorf("got %v, want %q in it", err, part)
		}
		return nil
	}
}

// gives checks what a run returns.
func gives(want float32) func(got float32, err error) error {
	return func(got float32, err error) error {
		if err != nil || got != want {
			return fmt.Errorf("got %g, %w; want %g", got, err, want)
		}
		return nil
	}
}

// negated checks what a run returns that doubles a number, and negates it in a call with a result.
func (s *scene) negated(i int) func(got float32, err error) error {
	return func(got float32, err error) error {
		if s.way == callbacks.Async {
			return err
		}
		return gives(-2*float32(i))(got, err)
	}
}

// isPanic checks for a PanicError with a line and a stack, for which also returns nil.
func isPanic(also func(value any) error) func(err error, i int) error {
	return isA(func(e *callbacks.PanicError) error {
		if e.Loc == "" || len(e.Stack) == 0 {
			return fmt.Errorf("the panic has the line %q and a stack of %d bytes", e.Loc, len(e.Stack))
		}
		return also(e.Value)
	})
}

func text(err error) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprintf("%T", err)
		}
	}()
	return fmt.Sprint(err)
}

// numberOf returns the number of the injection that a call belongs to.
func numberOf(f *callbacks.Frame) int {
	v, err := tensor.Slice[float32](f.Args[0])
	if err != nil || len(v) == 0 {
		return 0
	}
	return int(v[0]) / 2
}

// negate is the function that works: the result is the negative operand.
func negate(f *callbacks.Frame) error {
	in, err := tensor.Slice[float32](f.Args[0])
	if err != nil || len(f.Results) == 0 {
		return err
	}
	out, err := tensor.Slice[float32](f.Results[0])
	for i := range out {
		out[i] = -in[i]
	}
	return err
}
