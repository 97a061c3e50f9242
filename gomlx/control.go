package gomlx

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/pkg/errors"

	ir "github.com/calliope-mlir/calliope/builder"
)

// Call calls a function.
func (f *function) Call(target compute.Function, inputs ...compute.Value) ([]compute.Value, error) {
	vs, err := f.own(inputs)
	if err != nil {
		return nil, err
	}
	gs, err := f.callees(target)
	if err != nil {
		return nil, err
	}
	return f.values(func(t *trace) { t.add(t.caller(f, gs[0])(t.all(f, vs)...)...) })
}

// callees returns functions that this one can call.
func (f *function) callees(targets ...compute.Function) ([]*function, error) {
	if f.builder.compiled {
		return nil, f.builder.err()
	}
	out := make([]*function, len(targets))
	for i, target := range targets {
		g, ok := target.(*function)
		if !ok || g == nil || g.builder != f.builder {
			return nil, errors.WithStack(fmt.Errorf("%s: a %T is used that is no function of this computation", Name,
				target))
		}
		for _, p := range f.builder.traces[0].funcs[g.number].params {
			if p.of != nil {
				if err := f.reaches(p); err != nil {
					return nil, err
				}
			}
		}
		out[i] = g
	}
	return out, nil
}

// While repeats body as long as cond returns true.
func (f *function) While(cond, body compute.Function, initial ...compute.Value) ([]compute.Value, error) {
	gs, err := f.callees(cond, body)
	if err != nil || len(initial) == 0 {
		return nil, orNoValues(err, "While")
	}
	vs, err := f.own(initial)
	if err != nil {
		return nil, err
	}
	return f.values(func(t *trace) {
		again, next := t.caller(f, gs[0]), t.caller(f, gs[1])
		t.add(ir.While(t.all(f, vs),
			func(state []ir.Value) ir.Value { return t.single(again(state...), "the condition of While") },
			func(state []ir.Value) []ir.Value { return next(state...) }, ir.LoopOptions{})...)
	})
}

// If runs one of two closures.
func (f *function) If(pred compute.Value, yes, no compute.Function) ([]compute.Value, error) {
	gs, err := f.callees(yes, no)
	if err != nil {
		return nil, err
	}
	vs, err := f.own([]compute.Value{pred})
	if err != nil {
		return nil, err
	}
	return f.values(func(t *trace) {
		then, otherwise := t.caller(f, gs[0]), t.caller(f, gs[1])
		t.add(ir.If(t.in(f, vs[0]), func() []ir.Value { return then() }, func() []ir.Value { return otherwise() })...)
	})
}

// Sort sorts arrays together. The comparator gets two elements of the first array, then two of the next one, and so on,
// as GoMLX's own comparators expect.
func (f *function) Sort(
	comparator compute.Function, axis int, stable bool, inputs ...compute.Value,
) ([]compute.Value, error) {
	gs, err := f.callees(comparator)
	if err != nil || len(inputs) == 0 {
		return nil, orNoValues(err, "Sort")
	}
	vs, err := f.own(inputs)
	if err != nil {
		return nil, err
	}
	return f.values(func(t *trace) {
		less := t.caller(f, gs[0])
		t.add(ir.Sort(t.all(f, vs), func(a, b []ir.Value) ir.Value {
			pairs := make([]ir.Value, 0, 2*len(a))
			for i := range a {
				pairs = append(pairs, a[i], b[i])
			}
			return t.single(less(pairs...), "the comparator of Sort")
		}, ir.SortOptions{Axis: axis, Stable: stable})...)
	})
}

// single returns the one result of a closure.
func (t *trace) single(results []ir.Value, what string) ir.Value {
	if len(results) != 1 {
		t.ir.Fail("call", fmt.Errorf("%s returns %d values, and must return one", what, len(results)))
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
