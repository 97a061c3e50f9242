package builder

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// Call calls f from another function and returns its results. f must be complete: a function
// can call neither itself nor a function that calls it, because a compiled program has no
// recursion. If there are no arguments, the caller is the one function that is not complete.
//
// Callbacks in f keep their order among those of its callers. For this, a function with
// ordered callbacks gets, at its first call, one more one-byte parameter and result for
// each of their effects, at the end. The function "main", whose signature must not change,
// cannot be called then.
func (f *Func) Call(args ...Value) []Value {
	results, _ := f.call(nil, args)
	return results
}

// CallFrom is Call for calls without arguments in a module with several functions that are not complete: it names the
// function that calls.
func (f *Func) CallFrom(caller *Func, args ...Value) []Value {
	results, _ := f.call(caller, args)
	return results
}

// Call calls f as Func.Call does, and returns the results as a tree: a Value for one
// result, or a struct or array with as many values as there are results. For example
//
//	y := builder.Call[builder.Value](square, x)
func Call[R any](f *Func, args ...Value) R {
	results, caller := f.call(nil, args)
	var tree R
	want, err := leaves(tree)
	if caller.b.err == nil && err == nil && len(want) != len(results) {
		err = fmt.Errorf("%s has %d results, and %s holds %d", f.body.name, len(results), reflect.TypeFor[R](),
			len(want))
	}
	if err != nil {
		caller.b.fail(caller.b.here(), "call", args, err)
	}
	if caller.b.err != nil {
		return placeholders(caller, tree)
	}
	return rebuild(tree, results)
}

// call also returns the function that calls. If caller is nil, the arguments name it.
func (f *Func) call(caller *Func, args []Value) ([]Value, *Func) {
	if caller == nil {
		caller = funcOf(args...)
	}
	if caller == nil {
		if f == nil {
			panic(misuse("the Func is nil and no argument names the calling function"))
		}
		caller = f.b.caller(f)
	}
	at := caller.b.here()
	if !caller.usable(at, "call", args) {
		return caller.missingResults(f), caller
	}
	if err := f.callable(caller, args); err != nil {
		caller.b.fail(at, "call", args, err)
		return caller.missingResults(f), caller
	}
	if err := f.takeTokensAsParameters(); err != nil {
		caller.b.fail(at, "call", args, err)
		return caller.missingResults(f), caller
	}
	operands := make([]mlir.Value, 0, len(f.params))
	for _, a := range args {
		operands = append(operands, a.v)
	}
	for _, effect := range f.body.effects {
		t, ok := caller.ordering(effect, at)
		if !ok {
			return caller.missingResults(f), caller
		}
		operands = append(operands, t.v)
	}
	op, ok := caller.append(at, "call", args, raw{
		Name: "func.call", Operands: operands, Results: f.resultTypes,
		Attributes: []mlir.NamedAttribute{{Name: "callee", Value: f.b.ctx.SymbolAttribute(f.name)}},
	})
	if !ok {
		return caller.missingResults(f), caller
	}
	f.called = true
	caller.manual = caller.manual || f.manual
	return caller.takeTokensOfCall(caller.results(op), f.body.effects), caller
}

// caller returns the function that contains a call of f without arguments.
func (b *Builder) caller(f *Func) *Func {
	var open []*Func
	for _, g := range b.funcs {
		if !g.returned && !g.broken {
			open = append(open, g)
		}
	}
	if len(open) != 1 {
		b.fail(b.here(), "call", nil, fmt.Errorf("the call of %q has no arguments, so its calling function is unknown: %d functions have no Return yet, there must be one", f.name, len(open)))
		return f
	}
	return open[0]
}

// callable returns an error if f cannot be called with these arguments.
func (f *Func) callable(caller *Func, args []Value) error {
	switch {
	case f == nil:
		return errors.New("the function is nil")
	case f.b != caller.b:
		return fmt.Errorf("the function %q belongs to another Builder", f.name)
	case f.manual && caller.inManual():
		return fmt.Errorf("the function %q has a Manual and cannot be called in the body of one", f.name)
	case f == caller:
		return fmt.Errorf("the function %q calls itself: a compiled program has no recursion: use While", f.name)
	case !f.returned:
		return fmt.Errorf("the function %q has no Return yet: finish it before it is called; two functions cannot call each other", f.name)
	case len(args) != f.declared:
		return fmt.Errorf("the function %q takes %d arguments, and the call has %d", f.name, f.declared, len(args))
	case len(f.body.effects) > 0 && f.name == entry:
		return fmt.Errorf("the function %q has ordered callbacks and cannot be called: move what it does to a function of another name", f.name)
	}
	for i, a := range args {
		if !a.v.Type().Equal(f.params[i]) {
			return fmt.Errorf("argument %d of %q is %s: it must be %s", i, f.name, a.describe(),
				describeType(f.params[i]))
		}
	}
	return nil
}

// entry is the name of the function that XLA runs.
const entry = "main"

// missingResults returns a placeholder for each result of f, after a mistake.
func (caller *Func) missingResults(f *Func) []Value {
	if f == nil || !f.returned {
		return nil
	}
	out := make([]Value, len(f.resultTypes)-f.extra)
	for i := range out {
		out[i] = caller.missing()
	}
	return out
}

// takeTokensAsParameters changes a function with ordered callbacks: its caller then passes
// the first tokens and gets the last ones.
func (f *Func) takeTokensAsParameters() error {
	if f.extra == len(f.body.effects) {
		return nil
	}
	if f.called || f.b.opened && f.b.calls(f.name) {
		return fmt.Errorf("the function %q was called before it had ordered callbacks, and these calls pass no tokens: make a function of another name", f.name)
	}
	end := f.body.block.Terminator()
	results := end.OperandValues()
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

// calls reports whether the module contains a call of a function.
func (b *Builder) calls(name string) bool {
	return !b.module.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if callee, ok := function.Callee(op); ok && callee == name {
			return mlir.WalkStop
		}
		return mlir.WalkContinue
	})
}
