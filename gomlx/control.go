package gomlx

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/pkg/errors"

	ir "github.com/calliope-mlir/calliope/builder"
)

// Call calls a function.
func (f *function) Call(target compute.Function, inputs ...compute.Value) ([]compute.Value, error) {
	call, err := f.caller(target)
	if err != nil {
		return nil, err
	}
	args, err := f.all(inputs)
	if err != nil {
		return nil, err
	}
	return f.many(call(args...))
}

// caller returns a function that calls a function or closure here, with what the closure uses of its parents.
func (f *function) caller(target compute.Function) (func(args ...ir.Value) []ir.Value, error) {
	g, ok := target.(*function)
	if !ok || g == nil || g.builder != f.builder {
		return nil, errors.WithStack(fmt.Errorf("%s: a %T is used that is no function of this computation", Name,
			target))
	}
	params := make([]ir.Value, len(g.params))
	for i, p := range g.params {
		if p.Func() == nil {
			continue
		}
		var err error
		if params[i], err = f.capture(p); err != nil {
			return nil, err
		}
	}
	return func(args ...ir.Value) []ir.Value {
		var all []ir.Value
		for _, p := range params {
			if p.Func() == nil && len(args) > 0 {
				p, args = args[0], args[1:]
			}
			if p.Func() != nil {
				all = append(all, p)
			}
		}
		return g.ir.CallFrom(f.ir, append(all, args...)...)
	}, nil
}

// While repeats body as long as cond returns true.
func (f *function) While(cond, body compute.Function, initial ...compute.Value) ([]compute.Value, error) {
	again, err := f.caller(cond)
	if err != nil {
		return nil, err
	}
	next, err := f.caller(body)
	if err != nil {
		return nil, err
	}
	state, err := f.all(initial)
	if err != nil || len(state) == 0 {
		return nil, orNoValues(err, "While")
	}
	return f.many(ir.While(state,
		func(state []ir.Value) ir.Value { return f.single(again(state...), "the condition of While") },
		func(state []ir.Value) []ir.Value { return next(state...) }))
}

// If runs one of two closures.
func (f *function) If(pred compute.Value, yes, no compute.Function) ([]compute.Value, error) {
	then, err := f.caller(yes)
	if err != nil {
		return nil, err
	}
	otherwise, err := f.caller(no)
	if err != nil {
		return nil, err
	}
	p, err := f.in(pred)
	if err != nil {
		return nil, err
	}
	return f.many(ir.If(p, func() []ir.Value { return then() }, func() []ir.Value { return otherwise() }))
}

// Sort sorts arrays together. The comparator gets two elements of the first array, then two of the next one, and so on,
// as GoMLX's own comparators expect.
func (f *function) Sort(
	comparator compute.Function, axis int, stable bool, inputs ...compute.Value,
) ([]compute.Value, error) {
	less, err := f.caller(comparator)
	if err != nil {
		return nil, err
	}
	xs, err := f.all(inputs)
	if err != nil || len(xs) == 0 {
		return nil, orNoValues(err, "Sort")
	}
	return f.many(ir.Sort(xs, func(a, b []ir.Value) ir.Value {
		pairs := make([]ir.Value, 0, 2*len(a))
		for i := range a {
			pairs = append(pairs, a[i], b[i])
		}
		return f.single(less(pairs...), "the comparator of Sort")
	}, ir.SortOptions{Axis: axis, Stable: stable}))
}

// single returns the one result of a closure.
func (f *function) single(results []ir.Value, what string) ir.Value {
	if len(results) != 1 {
		f.builder.ir.Fail("call", fmt.Errorf("%s returns %d values, and must return one", what, len(results)))
		return ir.Value{}
	}
	return results[0]
}

func orNoValues(err error, op string) error {
	if err == nil {
		err = errors.WithStack(fmt.Errorf("%s: %s needs at least one value", Name, op))
	}
	return err
}
