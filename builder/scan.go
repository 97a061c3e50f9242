package builder

import "github.com/calliope-mlir/calliope/tensor"

// ScanOptions say how Scan takes the elements.
type ScanOptions struct {
	// Length is the number of steps where xs has no leaves. Otherwise it is 0, or what their first dimensions are.
	Length int
	// Reverse takes the last element first. The results stand where their elements do.
	Reverse bool
	// SqrtSteps is as in LoopOptions.
	SqrtSteps bool
}

// Scan calls step with each element of xs and the state before it, which is init at first, as jax.lax.scan. The
// elements are those along the first dimension of each leaf of xs, which all have the same. It returns the last state,
// and the results of all steps, with a first dimension for them. The state keeps its structure and types.
//
// step is called once, while building. It becomes a function of the module, and may use values from outside, which stay
// the same in every step.
//
//	last, all := builder.Scan(zero, xs, func(sum, x builder.Value) (builder.Value, builder.Value) {
//		sum = builder.Add(sum, x)
//		return sum, sum
//	}, builder.ScanOptions{}) // a sum, and the sums up to each element
func Scan[C, X, Y any](init C, xs X, step func(state C, x X) (next C, y Y), o ScanOptions) (last C, ys Y) {
	type both struct {
		Init C
		Xs   X
	}
	s, values := argument("scan", both{init, xs}, step == nil)
	n := s.steps(xs, o)
	if !s.ok {
		if step != nil {
			_, ys = step(placeholders(s.f, init), placeholders(s.f, xs))
		}
		return placeholders(s.f, init), placeholders(s.f, ys)
	}
	of, _ := leaves(init)
	carried, elements := values[:len(of)], values[len(of):]
	types := typesOf(carried)
	for _, x := range elements {
		types = append(types, s.typed(x, dimsOf(x)[1:]))
	}
	t := s.trace(types, nil, func(arguments []Value) ([]Value, error) {
		next, y := step(rebuild(init, arguments[:len(carried)]), rebuild(xs, arguments[len(carried):]))
		ys = y
		list, err := sameLeaves(init, next)
		if err != nil {
			return nil, err
		}
		results, err := leaves(y)
		return append(list, results...), err
	})
	if !s.ok {
		return placeholders(s.f, init), placeholders(s.f, ys)
	}

	type state struct{ Carried, Results []Value }
	begin := state{Carried: carried}
	results, _ := leaves(ys)
	for _, y := range results {
		begin.Results = append(begin.Results, s.unit(s.typed(y, append([]int{n}, dimsOf(y)...)), dtypeOf(y), 0))
	}
	steps := Full(s.f, tensor.ShapeOf(tensor.S32), n)
	end := Loop(steps, begin, func(i Value, now state) state {
		if o.Reverse {
			i = Sub(Full(s.f, tensor.ShapeOf(tensor.S32), n-1), i)
		}
		arguments := now.Carried
		for _, x := range elements {
			arguments = append(arguments, DynamicIndex(x, i, 0))
		}
		_, results := s.callOf(t, arguments)
		next := state{Carried: results[:len(carried)]}
		for k, y := range results[len(carried):] {
			next.Results = append(next.Results, DynamicUpdateIndex(now.Results[k], y, i, 0))
		}
		return next
	}, LoopOptions{SqrtSteps: o.SqrtSteps})
	return rebuild(init, end.Carried), rebuild(ys, end.Results)
}

// steps returns the number of the steps of a scan.
func (s *step) steps(xs any, o ScanOptions) int {
	n, all := o.Length, located(xs)
	if n < 0 || n == 0 && len(all) == 0 {
		s.fail("ScanOptions.Length is %d: it is the number of steps, where xs has no values", n)
	}
	for i, l := range all {
		if !s.ok {
			break
		}
		switch dims := dimsOf(l.v); {
		case len(dims) == 0:
			s.fail("%s of xs is %s: it needs a first dimension, whose elements the steps take", l.name(), l.v.describe())
		case dims[0] < 0:
			s.fail("%s of xs is %s: the number of steps must be known", l.name(), l.v.describe())
		case dims[0] != n && (n != 0 || i > 0):
			s.fail("%s of xs has %d elements, and there are %d steps", l.name(), dims[0], n)
		default:
			n = dims[0]
		}
	}
	return n
}
