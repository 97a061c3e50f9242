package builder

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Grad returns the function of the gradient of f, which returns a real scalar. It is a tree like the argument. All
// leaves of the argument must be floating-point or complex numbers: f takes what is not differentiated from
// outside, as a closure. It may be used in loops and branches, and differentiated again.
//
// f is called once for each call of the gradient, while building. Its callbacks are called once, with the values of f
// itself. What has no derivative is an error with the Go line of the operation: see package autodiff for the rules.
func Grad[T any](f func(T) Value) func(T) T {
	g := gradient(false, f, withoutAux(f))
	return func(x T) T {
		_, _, gradient := g(x)
		return gradient
	}
}

// GradAux is Grad for a function with a further result, which is returned as it is: has_aux of jax.grad.
func GradAux[T, A any](f func(T) (Value, A)) func(T) (gradient T, aux A) {
	g := gradient(false, f, f)
	return func(x T) (T, A) {
		_, aux, gradient := g(x)
		return gradient, aux
	}
}

// ValueAndGrad returns a function of the result of f and its gradient. Otherwise it works like Grad.
//
//	loss, gradient := builder.ValueAndGrad(func(p params) builder.Value { return loss(p, x) })(p)
func ValueAndGrad[T any](f func(T) Value) func(T) (value Value, gradient T) {
	g := gradient(true, f, withoutAux(f))
	return func(x T) (Value, T) {
		value, _, gradient := g(x)
		return value, gradient
	}
}

// ValueAndGradAux is ValueAndGrad for a function with a further result, which is returned as it is: has_aux of
// jax.value_and_grad.
func ValueAndGradAux[T, A any](f func(T) (Value, A)) func(T) (value Value, aux A, gradient T) {
	return gradient(true, f, f)
}

func withoutAux[T any](f func(T) Value) func(T) (Value, struct{}) {
	if f == nil {
		return nil
	}
	return func(x T) (Value, struct{}) { return f(x), struct{}{} }
}

// gradient returns the function of the value, which is none if not withValue, the further results and the gradient.
// given is f as the user gave it.
func gradient[T, A any](withValue bool, given any, f func(T) (Value, A)) func(T) (Value, A, T) {
	return func(x T) (value Value, aux A, gradient T) {
		name, transform := "grad", autodiff.Grad
		if withValue {
			name, transform = "value_and_grad", autodiff.ValueAndGrad
		}
		s, values := argument(name, x, f == nil)
		s.differentiable(x)
		if !s.ok {
			if f != nil {
				_, aux = f(placeholders(s.f, x)) // for the structure of the result
			}
			return s.none(), placeholders(s.f, aux), placeholders(s.f, x)
		}
		t := s.trace(typesOf(values), nil, func(arguments []Value) ([]Value, error) {
			value, aux = f(rebuild(x, arguments))
			if !value.v.IsNil() && (value.Shape().Rank() != 0 || !isReal(value.Shape().DType)) {
				return nil, fmt.Errorf("its Go function at %s returns %s: a gradient is of a real scalar: "+
					"add its elements up, or use JacRev or VJP", placeOf(given), value.describe())
			}
			rest, err := leaves(aux)
			return append([]Value{value}, rest...), err
		})
		o := autodiff.Options{Parameters: upTo(len(values)), Aux: true}
		results := s.transformed(t, s.arguments(t, values), func(f mlir.Operation) (mlir.Operation, error) {
			return transform(f, o)
		})
		switch n := len(values); {
		case !s.ok:
			return s.none(), placeholders(s.f, aux), placeholders(s.f, x)
		case !withValue:
			rest := s.f.takeTokensOfCall(results[n:], t.effects)
			return s.none(), rebuild(aux, rest), rebuild(x, results[:n])
		default:
			last := len(results) - n
			rest := s.f.takeTokensOfCall(results[:last], t.effects)
			return rest[0], rebuild(aux, rest[1:]), rebuild(x, results[last:])
		}
	}
}

// argument starts a step with the leaves of the argument of a Go function.
func argument[T any](name string, x T, noFunction bool) (step, []Value) {
	values, err := leaves(x)
	s := begin(name, values...)
	if err == nil && noFunction {
		err = errors.New("its Go function is nil")
	}
	if err != nil {
		s.fail("%w", err)
	}
	return s, values
}

// differentiable ends the step if a leaf of a tree has no derivative.
func (s *step) differentiable(x any) {
	for _, l := range located(x) {
		if s.ok && !hasTangent(l.v) {
			s.fail("%s is %s, which has no derivative: let the function take it from outside, as a closure, or Convert it",
				l.name(), l.v.describe())
		}
	}
}

// hasTangent reports whether values of a type have derivatives.
func hasTangent(v Value) bool {
	d := v.Shape().DType
	return isReal(d) || d == tensor.C64 || d == tensor.C128
}

// isReal reports whether a type is of floating-point numbers.
func isReal(d tensor.DType) bool { _, ok := floats[d]; return ok }

// transformed puts what a transformation makes of a function here, and returns its results.
func (s *step) transformed(
	t traced, arguments []Value, transform func(f mlir.Operation) (mlir.Operation, error),
) (results []Value) {
	if !s.ok {
		return nil
	}
	made, err := transform(t.op)
	s.f.b.temporary = append(s.f.b.temporary, t.op.Detach()) // the Go function may have kept values of it
	if s.failed(err) {
		return nil
	}
	results = s.copyIn(made, arguments)
	if err := made.Erase(); err != nil {
		s.fail("%w", err)
	}
	return results
}

// failed ends the step if a transformation returned an error.
func (s *step) failed(err error) bool {
	if of, ok := errors.AsType[*stablehlo.TransformError](err); ok {
		s.fail("%s at %s:%d: %s", short(of.Operation), of.Position.File, of.Position.Line, of.Reason)
	} else if err != nil {
		s.fail("%w", err)
	}
	return err != nil
}
