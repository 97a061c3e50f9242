package builder

import (
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
	s, values := argument("vjp", x, f == nil)
	if y = structure(&s, f, x); !s.ok {
		return y, func(R) T { return placeholders(s.f, x) }
	}
	t := s.trace(typesOf(values), nil, traceOf(f, x, &y))
	var backward mlir.Operation
	results := s.transformed(t, s.arguments(t, values), func(f mlir.Operation) (forward mlir.Operation, err error) {
		forward, backward, err = autodiff.VJP(f, autodiff.Options{Parameters: active(values)})
		return forward, err
	})
	if !s.ok {
		return placeholders(s.f, y), func(R) T { return placeholders(s.f, x) }
	}
	s.f.b.temporary = append(s.f.b.temporary, backward)
	n := t.results + len(t.effects)
	residuals := results[n:]
	y = rebuild(y, s.f.takeTokensOfCall(results[:n], t.effects))
	return y, func(dy R) T {
		s := s.f.begin("vjp")
		cotangents := s.tangents(dy, y, "the result", "its cotangent")
		gradients := s.copyIn(backward, append(residuals[:len(residuals):len(residuals)], cotangents...))
		if !s.ok {
			return placeholders(s.f, x)
		}
		return rebuild(x, s.withZeros(values, gradients))
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
