package builder

import (
	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/mlir"
)

// Checkpoint returns f whose values a derivative in reverse mode computes again in the backward pass, in place of
// keeping them, as jax.checkpoint. Arguments and results are kept, and what the policy says: nothing else without one.
// What calls with side effects return is kept too, so that they are not made a second time.
//
// f is called once for each call, while building. It becomes a function of the module that is called.
func Checkpoint[T, R any](f func(T) R, policy ...autodiff.Policy) func(T) R {
	return func(x T) (y R) {
		s, values := argument("checkpoint", x, f == nil)
		if len(policy) > 1 {
			s.fail("it takes one policy")
		}
		if y = structure(&s, f, x); !s.ok {
			return y
		}
		t := s.trace(typesOf(values), nil, traceOf(f, x, &y))
		arguments := s.arguments(t, values)
		if !s.ok {
			return placeholders(s.f, y)
		}
		name, _ := t.op.Symbol()
		call, ok := s.f.append(s.at, s.name, arguments, raw{
			Name: "func.call", Operands: mlirs(arguments), Results: t.resultTypes(),
			Attributes: []mlir.NamedAttribute{{Name: "callee", Value: s.f.b.ctx.SymbolAttribute(name)}},
		})
		if !ok {
			return placeholders(s.f, y)
		}
		autodiff.Checkpoint(call, append(policy, autodiff.NothingSaveable)[0])
		return rebuild(y, s.f.takeTokensOfCall(s.f.results(call), t.effects))
	}
}
