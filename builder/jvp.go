package builder

import (
	"slices"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/mlir"
)

// JVP returns f(x) and its derivative along the tangent dx, which is a tree like x. The derivative is a tree like the
// result. A leaf that is not a floating-point or complex number has no tangent: in dx it is not used, and in dy
// it is zero. See Grad for what f may do.
func JVP[T, R any](f func(T) R, x, dx T) (y, dy R) {
	s, values := argument("jvp", x, f == nil)
	tangents := s.tangents(dx, x, "the argument", "its tangent")
	if y = structure(&s, f, x); !s.ok {
		return y, y
	}
	t := s.trace(typesOf(values), nil, traceOf(f, x, &y))
	arguments := append(s.arguments(t, values), tangents...)
	results := s.transformed(t, arguments, func(f mlir.Operation) (mlir.Operation, error) {
		return autodiff.JVP(f, autodiff.Options{Parameters: active(values)})
	})
	if !s.ok {
		y = placeholders(s.f, y)
		return y, y
	}
	n := t.results + len(t.effects)
	values = s.f.takeTokensOfCall(results[:n], t.effects)
	return rebuild(y, values), rebuild(y, s.withZeros(values, results[n:]))
}

// VJP returns f(x) and the function of its derivative along a cotangent, which is a tree like the result. It returns a
// tree like x, and may be called several times, also in loops and branches. A leaf that is not a
// floating-point or complex number has no cotangent: in dy it is not used, and in dx it is zero. See Grad for
// what f may do.
func VJP[T, R any](f func(T) R, x T) (y R, back func(dy R) (dx T)) {
	y, d := partsOf("vjp", f, x, autodiff.VJP)
	return y, func(dy R) T { return along(d, dy, y, "the result", "its cotangent", x) }
}

// Linearize returns f(x) and the function of its derivative along a tangent, which computes nothing of f again. It is
// made by reverse mode: f may do what VJP takes.
func Linearize[T, R any](f func(T) R, x T) (y R, linear func(dx T) (dy R)) {
	y, d := partsOf("linearize", f, x, autodiff.Linearize)
	return y, func(dx T) R { return along(d, dx, x, "the argument", "its tangent", y) }
}

// partial is the second of two functions that a transformation makes of one. The first returns its residuals.
type partial struct {
	f         *Func
	name      string
	op        mlir.Operation // nil after a mistake
	residuals []Value
}

// partsOf returns f(x), and the second function that a transformation makes of f.
func partsOf[T, R any](
	name string, f func(T) R, x T,
	transform func(mlir.Operation, autodiff.Options) (forward, second mlir.Operation, err error),
) (y R, p partial) {
	s, values := argument(name, x, f == nil)
	p = partial{f: s.f, name: name}
	if y = structure(&s, f, x); !s.ok {
		return y, p
	}
	t := s.trace(typesOf(values), nil, traceOf(f, x, &y))
	results := s.transformed(t, s.arguments(t, values), func(f mlir.Operation) (forward mlir.Operation, err error) {
		forward, p.op, err = transform(f, autodiff.Options{Parameters: active(values)})
		return forward, err
	})
	if !s.ok {
		return placeholders(s.f, y), partial{f: s.f, name: name}
	}
	s.f.b.temporary = append(s.f.b.temporary, p.op)
	n := t.results + len(t.effects)
	p.residuals = results[n:]
	return rebuild(y, s.f.takeTokensOfCall(results[:n], t.effects)), p
}

// along returns the derivative along dx, which is a tree like x, and a tree like y.
func along[T, R any](p partial, dx, x T, xIs, dxIs string, y R) R {
	s := p.f.begin(p.name)
	s.ok = s.ok && !p.op.IsNil()
	seeds := s.tangents(dx, x, xIs, dxIs)
	if !s.ok {
		return placeholders(s.f, y)
	}
	made := s.copyIn(p.op, slices.Concat(p.residuals, seeds))
	if !s.ok {
		return placeholders(s.f, y)
	}
	values, _ := leaves(y)
	return rebuild(y, s.withZeros(values, made))
}

// LinearTranspose returns the transpose of f, which must be linear, as jax.linear_transpose. It takes a tree like the
// result of f and returns one like x, of which only the types are used: Like makes such values. f is called once for
// each call of the transpose. It must have no callbacks with side effects. What it takes from outside is constant.
func LinearTranspose[T, R any](f func(T) R, x T) func(dy R) (dx T) {
	return func(dy R) T {
		s, _ := argument("linear_transpose", dy, f == nil)
		s.differentiable(x)
		var in []mlir.Type
		for _, l := range located(x) {
			t, err := l.v.template(s.f.b.ctx)
			if !isStatic(l.v.Shape().Dims) {
				s.fail("%s is %s: %s", l.name(), l.v.describe(), refine)
			} else if err != nil {
				s.fail("%s: %w", l.name(), err)
			}
			in = append(in, t)
		}
		var y R
		t := s.trace(in, nil, traceOf(f, x, &y))
		seeds := s.tangents(dy, y, "the result", "its cotangent")
		if len(t.effects) > 0 {
			s.fail("its Go function has callbacks with side effects")
		}
		results := s.transformed(t, append(t.captured, seeds...), func(f mlir.Operation) (mlir.Operation, error) {
			return autodiff.LinearTranspose(f, autodiff.Options{Parameters: upTo(len(in))})
		})
		if !s.ok {
			return placeholders(s.f, x)
		}
		return rebuild(x, results)
	}
}

// structure returns what f returns for placeholders, if the step has failed.
func structure[T, R any](s *step, f func(T) R, x T) (y R) {
	if !s.ok && f != nil {
		y = placeholders(s.f, f(placeholders(s.f, x)))
	}
	return y
}

// active returns the indices of the values that have derivatives.
func active(values []Value) []int {
	list := []int{}
	for i, v := range values {
		if hasTangent(v) {
			list = append(list, i)
		}
	}
	return list
}

// tangents returns the leaves of dx that belong to a leaf of x with a derivative. The trees must have the same
// structure, and these leaves the same types.
func (s *step) tangents(dx, x any, xIs, dxIs string) (list []Value) {
	of, all := located(x), located(dx)
	if len(of) != len(all) {
		s.fail("%s has %d values, and %s has %d", xIs, len(of), dxIs, len(all))
	}
	for i, l := range of {
		switch {
		case !s.ok:
			return nil
		case all[i].at != l.at:
			s.fail("%s has %s where %s has %s", dxIs, all[i].name(), xIs, l.name())
		case !hasTangent(l.v):
		case !isStatic(l.v.Shape().Dims):
			s.fail("%s of %s is %s: %s", l.name(), xIs, l.v.describe(), refine)
		default:
			if err := s.f.scope.check(all[i].v); err != nil {
				s.fail("%s of %s %w", dxIs, l.name(), err)
			} else if !all[i].v.v.Type().Equal(l.v.v.Type()) {
				s.fail("%s is %s, and %s is %s", l.name(), l.v.describe(), dxIs, all[i].v.describe())
			}
			list = append(list, all[i].v)
		}
	}
	return list
}

// withZeros returns the derivatives of values, of which given has those that are not zero because of their type.
func (s *step) withZeros(values, given []Value) []Value {
	out := make([]Value, len(values))
	for i, v := range values {
		if hasTangent(v) {
			out[i], given = given[0], given[1:]
		} else {
			out[i] = s.unitLike(v, 0)
		}
	}
	return out
}
