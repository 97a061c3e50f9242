package builder

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// Call calls the function from another one with its parameters' values, and gives back
// its results. It must have its Return already: a function can call neither itself nor
// one that calls it, for a compiled program has no recursion. Where no argument says
// from which function it is called, it is the one that lacks its Return still.
//
// Callbacks in it keep their order among those of its callers: from its first call on, a
// function with ordered callbacks has a one-byte parameter and result more, at the end,
// for each of their effects. The function "main", whose signature must stay, cannot be
// called then.
func (f *Func) Call(args ...Value) []Value {
	results, _ := f.call(args)
	return results
}

// Call is Func.Call with the results as a tree: a Value for one, or a struct or array of
// as many as there are. For example
//
//	y := builder.Call[builder.Value](square, x)
func Call[R any](f *Func, args ...Value) R {
	results, caller := f.call(args)
	var tree R
	want, err := leaves(tree)
	if caller.b.err == nil && err == nil && len(want) != len(results) {
		err = fmt.Errorf("%s has %d results, and %s holds %d", f.body.name, len(results), reflect.TypeFor[R](), len(want))
	}
	if err != nil {
		caller.b.fail(caller.b.here(), "call", args, err)
	}
	if caller.b.err != nil {
		return dead(caller, tree)
	}
	return rebuild(tree, results)
}

// call also gives back the function that calls.
func (f *Func) call(args []Value) ([]Value, *Func) {
	caller := funcOf(args...)
	if caller == nil {
		if f == nil {
			panic("builder: call of a nil Func, with nothing that says from where")
		}
		caller = f.b.caller(f)
	}
	at := caller.b.here()
	if !caller.usable(at, "call", args) {
		return caller.nothings(f), caller
	}
	if err := f.callable(caller, args); err != nil {
		caller.b.fail(at, "call", args, err)
		return caller.nothings(f), caller
	}
	if err := f.takeTokensAsParameters(); err != nil {
		caller.b.fail(at, "call", args, err)
		return caller.nothings(f), caller
	}
	operands := make([]mlir.Value, 0, len(f.params))
	for _, a := range args {
		operands = append(operands, a.v)
	}
	for _, effect := range f.body.effects {
		t, ok := caller.token(effect, at)
		if !ok {
			return caller.nothings(f), caller
		}
		operands = append(operands, t.v)
	}
	op, ok := caller.append(at, "call", args, raw{
		Name: "func.call", Operands: operands, Results: f.resultTypes,
		Attributes: []mlir.NamedAttribute{{Name: "callee", Value: f.b.ctx.SymbolAttribute(f.name)}},
	})
	if !ok {
		return caller.nothings(f), caller
	}
	f.called = true
	return caller.takeTokens(caller.results(op), f.body.effects), caller
}

// caller is the function that a call of f without arguments stands in.
func (b *Builder) caller(f *Func) *Func {
	var open []*Func
	for _, g := range b.funcs {
		if !g.returned && !g.broken {
			open = append(open, g)
		}
	}
	if len(open) != 1 {
		b.fail(b.here(), "call", nil, fmt.Errorf("the call of %q has no argument that says from which function it is called, and %d functions lack their Return", f.name, len(open)))
		return f
	}
	return open[0]
}

// callable is an error where f cannot be called with these arguments.
func (f *Func) callable(caller *Func, args []Value) error {
	switch {
	case f == nil:
		return errors.New("the function is nil")
	case f.b != caller.b:
		return fmt.Errorf("the function %q belongs to another Builder", f.name)
	case f == caller:
		return fmt.Errorf("the function %q calls itself: a compiled program has no recursion, use While", f.name)
	case !f.returned:
		return fmt.Errorf("the function %q has no Return yet: finish it before it is called; two functions cannot call each other", f.name)
	case len(args) != f.declared:
		return fmt.Errorf("the function %q takes %d arguments, %d given", f.name, f.declared, len(args))
	case len(f.body.effects) > 0 && f.name == entry:
		return fmt.Errorf("the function %q has ordered callbacks and cannot be called: move what it does to a function of another name", f.name)
	}
	for i, a := range args {
		if !a.v.Type().Equal(f.params[i]) {
			return fmt.Errorf("argument %d of %q is %s, it takes %s", i, f.name, a.describe(), describeType(f.params[i]))
		}
	}
	return nil
}

// entry is the function that XLA runs.
const entry = "main"

// nothings are as many values as f has results that a mistake kept from being built.
func (caller *Func) nothings(f *Func) []Value {
	if f == nil || !f.returned {
		return nil
	}
	out := make([]Value, len(f.resultTypes)-f.extra)
	for i := range out {
		out[i] = caller.nothing()
	}
	return out
}

// takeTokensAsParameters changes a function with ordered callbacks so that its caller
// gives the tokens that they start with, and gets the last ones.
func (f *Func) takeTokensAsParameters() error {
	if f.extra == len(f.body.effects) {
		return nil
	}
	if f.called || f.b.opened && f.b.calls(f.name) {
		return fmt.Errorf("the function %q was called before it had ordered callbacks, and these calls give it no tokens: make a function of another name", f.name)
	}
	end := f.body.block.Terminator()
	var results []mlir.Value
	for _, v := range end.Operands() {
		results = append(results, v)
	}
	for _, effect := range f.body.effects {
		first, last := f.first[effect], f.body.tokens[effect].v
		t := f.body.block.AddArgument(first.Type(), f.at.location)
		if last.Equal(first) {
			last = t
		}
		constant := first.Owner()
		first.ReplaceAllUses(t)
		if err := constant.Erase(); err != nil {
			return err
		}
		results = append(results, last)
		f.params = append(f.params, t.Type())
		f.resultTypes = append(f.resultTypes, t.Type())
		f.extra++
	}
	end.SetOperands(results...)
	return f.setType()
}

// calls reports whether the module calls a function.
func (b *Builder) calls(name string) bool {
	return !b.module.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if callee, ok := function.Callee(op); ok && callee == name {
			return mlir.WalkStop
		}
		return mlir.WalkContinue
	})
}
