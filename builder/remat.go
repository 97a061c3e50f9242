package builder

import (
	"strings"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// Remat returns f whose values a derivative in reverse mode computes again in the backward pass, in place of
// keeping them, as jax.checkpoint, or jax.remat. Arguments and results are kept, and what the policy says: nothing else
// if it is "". What calls with side effects return is kept too, so that they are not made a second time.
//
// f is called once for each call, while building. It becomes a function of the module that is called.
func Remat[T, R any](f func(T) R, policy autodiff.RematPolicy) func(T) R {
	return func(x T) (y R) {
		s, values := argument("remat", x, f == nil)
		if y = structure(&s, f, x); !s.ok {
			return y
		}
		t := s.trace(typesOf(values), nil, traceOf(f, x, &y))
		if !s.ok {
			return placeholders(s.f, y)
		}
		call, results := s.callOf(t, values)
		if !s.ok {
			return placeholders(s.f, y)
		}
		autodiff.Remat(call, policy)
		return rebuild(y, results)
	}
}

// RematName returns a tree as it is, whose values have a name for the policies of Remat, as
// jax.ad_checkpoint.checkpoint_name: see autodiff.SaveOnlyTheseNames.
func RematName[T any](x T, name string) T {
	s, values := trees("remat_name", x)
	if name == "" || strings.Contains(name, ",") {
		s.fail("the name is %q: it must have letters, and no comma", name)
	}
	if !s.ok {
		return placeholders(s.f, x)
	}
	named := values[0]
	for i, v := range named {
		if !canBeNamed(v) {
			if named[i] = s.one(stablehlo.ReshapeOp{Operand: v.v, ResultType: v.v.Type()}); !s.ok {
				return placeholders(s.f, x)
			}
		}
		named[i].v.Owner().SetAttribute(autodiff.ValueName, s.f.b.ctx.StringAttribute(name))
	}
	return rebuild(x, named)
}

// canBeNamed reports whether the operation of a value can have the name: the rule of its derivative may need the value,
// too.
func canBeNamed(v Value) bool {
	if !v.v.IsResult() || v.v.Owner().NumResults() != 1 || v.v.Owner().NumRegions() > 0 {
		return false
	}
	_, named := v.v.Owner().Attribute(autodiff.ValueName)
	return !named
}
