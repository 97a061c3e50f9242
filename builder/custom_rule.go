package builder

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// StopGradient returns a tree as it is, whose derivative is zero.
func StopGradient[T any](x T) T {
	s, values := trees("stop_gradient", x)
	if !s.ok {
		return placeholders(s.f, x)
	}
	types := typesOf(values[0])
	return rebuild(x, s.many(len(types), stablehlo.CompositeOp{
		Name: autodiff.StopGradient, Decomposition: s.identity(types), Inputs: mlirs(values[0]), ResultTypes: types,
	}))
}

// identity returns the name of the function of the module that returns its parameters.
func (s *step) identity(types []mlir.Type) string {
	b := s.f.b
	var key strings.Builder
	for _, t := range types {
		fmt.Fprintln(&key, t)
	}
	name, ok := b.identities[key.String()]
	if !ok {
		t := s.trace(types, nil, func(x []Value) ([]Value, error) { return x, nil })
		name, _ = t.op.Symbol()
		if b.identities == nil {
			b.identities = map[string]string{}
		}
		b.identities[key.String()] = name
	}
	return name
}

// CustomJVP returns f with a derivative of its own. jvp takes the argument and its tangent, and returns the result and
// its tangent, which must be linear in dx. It is used in place of f where a derivative passes through f, also in
// reverse mode, and is differentiated itself for higher orders. The tangent of a leaf that is not a floating-point or
// complex number is zero.
//
// Both are called once for each call, while building. They may use values from outside, but have no derivative with
// respect to them: make these a part of the argument. They must have no callbacks with side effects. jvp may call the
// function that CustomJVP returns.
func CustomJVP[T, R any](f func(T) R, jvp func(x, dx T) (y, dy R)) func(T) R {
	return rules[T, R, struct{}]{name: "custom_jvp", jvp: jvp}.of(f, jvp == nil)
}

// CustomVJP returns f with a derivative of its own in reverse mode. forward returns what f does, and the residuals: a
// tree of what backward needs. backward takes the residuals and the cotangent of the result, and returns the cotangent
// of the argument. What it returns for a leaf that is not a floating-point or complex number is not used. In forward
// mode, a derivative that passes through f is an error. Otherwise CustomVJP works like CustomJVP.
func CustomVJP[T, R, S any](f func(T) R, forward func(T) (R, S), backward func(residuals S, dy R) (dx T)) func(T) R {
	return rules[T, R, S]{name: "custom_vjp", forward: forward, backward: backward}.
		of(f, forward == nil || backward == nil)
}

// rules are those of one function: jvp, or forward and backward, or all of them.
type rules[T, R, S any] struct {
	name     string // in errors
	jvp      func(x, dx T) (y, dy R)
	forward  func(T) (R, S)
	backward func(residuals S, dy R) (dx T)
	self     *ruled // of a function whose identity is given
}

// of returns f with these rules.
func (r rules[T, R, S]) of(f func(T) R, incomplete bool) func(T) R {
	self := r.self
	if self == nil {
		self = new(ruled)
	}
	kind := autodiff.CustomJVP
	if r.jvp == nil {
		kind = autodiff.CustomVJP
	}
	return func(x T) (y R) {
		s, values := argument(r.name, x, f == nil || incomplete)
		if y = structure(&s, f, x); !s.ok {
			return y
		}
		if own := self.find(&s, values); own != nil {
			return rebuild(own.result.(R), s.call(own, values))
		}
		primal := s.trace(typesOf(values), nil, traceOf(f, x, &y))
		defer self.enter(&s, kind, values, primal, y)()
		var list []customRule
		captured := primal.captured
		if r.jvp != nil {
			rule := r.traceJVP(&s, x, y, values, captured)
			list, captured = append(list, customRule{"jvp", rule}), rule.captured
		}
		if r.forward != nil {
			first, second := r.traceVJP(&s, x, y, values, captured)
			list = append(list, customRule{"forward", first}, customRule{"backward", second})
		}
		return rebuildOr(&s, y, s.withRules(kind, values, primal, list...))
	}
}

// traceJVP makes a function of the module of the rule for forward mode.
func (r rules[T, R, S]) traceJVP(s *step, x T, y R, values, captured []Value) traced {
	n, types := len(values), typesOf(values)
	return s.trace(slices.Concat(types, types), captured, func(arguments []Value) ([]Value, error) {
		z, dz := r.jvp(rebuild(x, arguments[:n]), rebuild(x, arguments[n:]))
		results, err := like(y, z, "the result")
		if err != nil {
			return nil, err
		}
		tangents, err := like(y, dz, "the tangent of the result")
		return append(results, tangents...), err
	})
}

// traceVJP makes functions of the module of the rules for reverse mode.
func (r rules[T, R, S]) traceVJP(s *step, x T, y R, values, captured []Value) (forward, backward traced) {
	var residuals S
	var of, kept []Value
	forward = s.trace(typesOf(values), captured, func(arguments []Value) (results []Value, err error) {
		var z R
		z, residuals = r.forward(rebuild(x, arguments))
		if of, err = like(y, z, "the result"); err != nil {
			return nil, err
		}
		kept, err = leaves(residuals)
		return slices.Concat(of, kept), err
	})
	types := typesOf(slices.Concat(kept, of))
	backward = s.trace(types, forward.captured, func(arguments []Value) ([]Value, error) {
		n := len(kept)
		dx := r.backward(rebuild(residuals, arguments[:n]), rebuild(y, arguments[n:]))
		return like(x, dx, "the cotangent of the argument")
	})
	return forward, backward
}

// like returns the leaves of a tree of a rule, which must have the structure and types of another one.
func like[T any](want, got T, what string) ([]Value, error) {
	if err := difference(want, got, "the function", "its rule"); err != nil {
		return nil, fmt.Errorf("%s differs: %w", what, err)
	}
	return leaves(got)
}

// rebuildOr returns a tree of the results of a step, or of placeholders after a mistake.
func rebuildOr[T any](s *step, tree T, results []Value) T {
	if !s.ok {
		return placeholders(s.f, tree)
	}
	return rebuild(tree, results)
}

// customRule is a function that stands in for another one in derivatives.
type customRule struct {
	attribute string // which names it
	function  traced
}

// withRules adds a composite of a function with rules, of which the last one has captured all values.
func (s *step) withRules(name string, leaves []Value, primal traced, rules ...customRule) []Value {
	if !s.ok {
		return nil
	}
	all := slices.Insert(rules, 0, customRule{"", primal})
	captured := all[len(rules)].function.captured
	attributes := []NamedValue{{"arguments", len(leaves)}}
	for i, r := range all {
		for op := range r.function.op.All() {
			if callop.HasSideEffect(op) {
				return []Value{s.fail("its Go functions have a callback with side effects, at %s: "+
					"call it before or after them, or use PureCall", op.Location().Position())}
			}
		}
		r.function.take(captured[len(r.function.captured):])
		r.function.setType()
		if symbol, _ := r.function.op.Symbol(); i > 0 {
			attributes = append(attributes, NamedValue{r.attribute, s.f.b.ctx.SymbolAttribute(symbol)})
		}
	}
	dictionary, err := attributeOf(s.f.b.ctx, attributes, 0)
	if err != nil {
		s.fail("its attributes%w", err)
	}
	symbol, _ := primal.op.Symbol()
	if own := s.f.b.rules[symbol]; own != nil && len(own.calls) > 0 {
		if len(captured) > len(primal.captured) {
			return []Value{s.fail("its rule calls the function itself, and uses values from outside that the function " +
				"does not use: make them a part of the argument")}
		}
		for _, op := range own.calls {
			op.SetAttribute("composite_attributes", dictionary)
		}
	}
	types := primal.resultTypes()
	return s.many(len(types), stablehlo.CompositeOp{
		Name: name, Decomposition: symbol, CompositeAttributes: dictionary,
		Inputs:      mlirs(slices.Concat(leaves, captured)),
		ResultTypes: types,
	})
}
