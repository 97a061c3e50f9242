package faults

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tools/soak/load"
)

var (
	everyWay   = load.Ways
	withResult = []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Deferred}
	dispatched = []callbacks.Dispatch{callbacks.Goroutine, callbacks.Async, callbacks.Deferred}
)

// The names of the callbacks.
const (
	faulty  = "faulty"
	healthy = "healthy"
)

var noMap map[string]int

// misbehaviour is a function that misbehaves.
type misbehaviour struct {
	name    string
	ways    []callbacks.Dispatch
	options callbacks.Options
	fn      callbacks.Func
	want    func(err error, i int) error
	maybe   bool // the call may end before the function begins
}

// Timeout of calls that never end by themselves.
const short = 2 * time.Millisecond

func misbehaviours() []misbehaviour {
	return []misbehaviour{
		{name: "error", ways: everyWay, want: func(err error, i int) error {
			if e, ok := err.(*numbered); !ok || i != anyNumber && e.i != i {
				return fmt.Errorf("got %v, want the same value", err)
			}
			return nil
		}, fn: func(f *callbacks.Frame) error { return &numbered{numberOf(f)} }},
		{name: "wrapped error", ways: everyWay, want: isNumbered,
			fn: func(f *callbacks.Frame) error { return fmt.Errorf("outside: %w", &numbered{numberOf(f)}) }},

		{name: "panic with an error", ways: everyWay, want: isNumbered,
			fn: func(f *callbacks.Frame) error { panic(&numbered{numberOf(f)}) }},
		{name: "panic with a string", ways: everyWay, want: isPanic(func(v any) error {
			if v != "on purpose" {
				return fmt.Errorf("the panic's value is %v", v)
			}
			return nil
		}), fn: func(*callbacks.Frame) error { panic("on purpose") }},
		{name: "panic with nil", ways: everyWay, want: isPanic(func(any) error { return nil }),
			fn: func(*callbacks.Frame) error { panic(nil) }},
		{name: "write to a nil map", ways: everyWay, want: isPanic(isRuntimeError),
			fn: func(*callbacks.Frame) error { noMap["x"] = 1; return nil }},
		{name: "nil dereference", ways: everyWay, want: isPanic(isRuntimeError),
			fn: func(*callbacks.Frame) error { var p *numbered; p.i++; return nil }},
		{name: "goexit", ways: dispatched, want: isA[*callbacks.GoexitError](nil),
			fn: func(*callbacks.Frame) error { runtime.Goexit(); return nil }},

		{name: "timeout", ways: dispatched, options: callbacks.Options{Timeout: short}, maybe: true, want: isTimeout,
			fn: func(f *callbacks.Frame) error { <-f.Context().Done(); return f.Context().Err() }},
		{name: "late result after the timeout", ways: dispatched, options: callbacks.Options{Timeout: short},
			maybe: true, want: isTimeout,
			fn: func(f *callbacks.Frame) error {
				<-f.Context().Done()
				time.Sleep(short) // by then the run is usually over
				return negate(f)
			}},

		{name: "nil result", ways: withResult, want: isTemplate("returned nothing"), fn: returning(nil)},
		{name: "results of another shape", ways: withResult, want: isTemplate("f32[3]"),
			fn: returning([]tensor.View{tensor.Vector[float32](1, 2, 3)})},
		{name: "results of another element type", ways: withResult, want: isTemplate("f64"),
			fn: returning([]tensor.View{tensor.Vector[float64](1, 2, 3, 4)})},
		{name: "too many results", ways: withResult, want: isTemplate("result 1"),
			fn: returning([]tensor.View{tensor.Scalar(true), tensor.Scalar(false)})},
		{name: "result without memory", ways: withResult, want: isA[*callbacks.TemplateError](nil),
			fn: returning([]tensor.View{{Shape: tensor.ShapeOf(tensor.F32, large)}})},
		{name: "arguments of another type", ways: everyWay, want: isA[*callbacks.TemplateError](nil), maybe: true,
			fn: callbacks.Tap(func(context.Context, tensor.Array[int64]) error { return errors.New("called") })},
		{name: "too few arguments", ways: everyWay, want: isA[*callbacks.TemplateError](nil), maybe: true,
			fn: callbacks.Tap(func(context.Context, struct{ A, B tensor.View }) error { return errors.New("called") })},
		{name: "too many arguments", ways: everyWay, want: isA[*callbacks.TemplateError](nil), maybe: true,
			fn: callbacks.Tap(func(context.Context, struct{}) error { return errors.New("called") })},

		{name: "text with NUL and invalid UTF-8", ways: everyWay, want: isNumbered,
			fn: func(f *callbacks.Frame) error {
				return fmt.Errorf("a\x00b\xff\xfe\n%%s: %w", &numbered{numberOf(f)})
			}},
		{name: "text of 16 MiB", ways: everyWay, want: isNumbered,
			fn: func(f *callbacks.Frame) error { return &longText{numbered{numberOf(f)}} }},
		{name: "error whose methods panic", ways: everyWay, want: func(err error, i int) error {
			if e, ok := err.(oddError); !ok || i != anyNumber && e.i != i {
				return fmt.Errorf("got a %T", err)
			}
			return nil
		}, fn: func(f *callbacks.Frame) error { return oddError{numberOf(f)} }},
	}
}

// longText is an error with a very long text.
type longText struct{ numbered }

var sixteenMiB = sync.OnceValue(func() string { return strings.Repeat("0123456\x00\xff789abcd", 1<<20) })

func (e *longText) Error() string { return sixteenMiB() }
func (e *longText) Unwrap() error { return &e.numbered }

// oddError is an error that can neither be printed nor compared.
type oddError struct{ i int }

func (oddError) Error() string { panic("no text") }
func (oddError) Is(error) bool { panic("no comparing") }
func (oddError) As(any) bool   { panic("no looking") }

func isRuntimeError(v any) error {
	if _, ok := v.(runtime.Error); !ok {
		return fmt.Errorf("the panic's value is a %T, want a runtime.Error", v)
	}
	return nil
}

// isTimeout checks for a TimeoutError that also matches the deadline of a context.
func isTimeout(err error, i int) error {
	return errors.Join(isA[*callbacks.TimeoutError](nil)(err, i), is(context.DeadlineExceeded)(err, i))
}

// isTemplate checks for a TemplateError of results whose text has a part.
func isTemplate(part string) func(err error, i int) error {
	return isA(func(e *callbacks.TemplateError) error {
		if e.Arguments || !strings.Contains(e.Error(), part) {
			return fmt.Errorf("got %q, want %q in it", e, part)
		}
		return nil
	})
}

// returning is a function that returns a wrong result.
func returning(results []tensor.View) callbacks.Func {
	return callbacks.Call(func(context.Context, []tensor.View) ([]tensor.View, error) { return results, nil })
}

// functionFaults are faults of functions.
func functionFaults() []Fault {
	var list []Fault
	for _, m := range slices.Concat(misbehaviours(), methodFaults()) {
		list = append(list, Fault{Name: m.name, Ways: m.ways, prepare: m.prepare})
	}
	return list
}

// prepare compiles a small module, which XLA executes on the caller's thread, and a large
// one. Runs whose second value is 1 have the fault; the others work.
func (m misbehaviour) prepare(s *scene) func(i int) error {
	fn := func(f *callbacks.Frame) error {
		if v, err := tensor.Slice[float32](f.Args[0]); err == nil && v[1] == 0 {
			return negate(f)
		}
		return m.fn(f)
	}
	s.register(faulty, m.options, fn)
	broken := s.pair(faulty)
	good, name := broken, faulty
	if m.options.Timeout > 0 { // calls that work may exceed it too, on a busy machine
		s.register(healthy, callbacks.Options{}, negate)
		good, name = s.pair(healthy), healthy
	}
	return func(i int) error {
		if err := s.works(good[i%2], name, i); err != nil {
			return err
		}
		counts := tally{Fired: 1, Failed: 1, Called: 1}
		if m.maybe {
			counts.Called = uncertain
		}
		s.expect(faulty, counts)
		_, err := s.run(s.ctx, broken[i%2], i, float32(i), 0.5) // the module doubles it
		if s.way != callbacks.Async {
			err = causeOf(err)
		}
		return s.failure(err, i, m.want)
	}
}

// pair is a small and a large program that call a function, in two forms if the way has
// two.
func (s *scene) pair(name string) [2]*program {
	forms := [2]contract.Form{contract.Passthrough, contract.Call}
	if s.way == callbacks.Async {
		forms = [2]contract.Form{contract.Observe, contract.Observe}
	}
	return [2]*program{s.program(forms[0], name, small), s.program(forms[1], name, large)}
}

// works runs a callback that works.
func (s *scene) works(p *program, name string, i int) error {
	s.delivers(name)
	if err := s.negated(i)(s.run(s.ctx, p, i, float32(i))); err != nil {
		return fmt.Errorf("the run beside that works: %w", err)
	}
	return nil
}
