package builder

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// If returns the result of then if pred, a pred[], is true at run time, and the result of
// otherwise if it is false. It calls both immediately, to build the two branches. They may use
// values from outside. They must return trees of the same structure and types; use struct{} to
// return nothing.
//
// If a branch returns a value from outside, each branch copies it. Return only what the
// branch computes.
//
// The time in which XLA compiles ifs in one another grows with the third power of their depth, because it follows
// each value through all of them: with a callback in the innermost one, 50 levels take 0.2 s of a processor, 100
// take 1.4 s, and 200 about ten times as long. Use one Case for many alternatives.
func If[T any](pred Value, then, otherwise func() T) T {
	return choose("if", pred, tensor.Pred, []string{"then", "otherwise"}, []func() T{then, otherwise})
}

// Case returns the result of the branch with the number index, an s32[], at run time. An
// index out of range selects the last branch. Otherwise Case works like If.
func Case[T any](index Value, branches ...func() T) T {
	names := make([]string, len(branches))
	for i := range names {
		names[i] = "branch " + strconv.Itoa(i)
	}
	return choose("case", index, tensor.S32, names, branches)
}

// choose builds an if or a case. names are the names of the branches in errors.
func choose[T any](op string, selector Value, want tensor.DType, names []string, branches []func() T) T {
	f := mustFuncOf(selector)
	at := f.b.here()
	switch {
	case !f.usable(at, op, []Value{selector}):
	case len(branches) == 0:
		f.b.fail(at, op, []Value{selector}, errors.New("it needs at least one branch"))
	case slices.ContainsFunc(branches, func(b func() T) bool { return b == nil }):
		f.b.fail(at, op, []Value{selector}, errors.New("a branch is nil"))
	case !selector.Shape().Equal(tensor.ShapeOf(want)):
		f.b.fail(at, op, []Value{selector}, fmt.Errorf("the predicate or index must be %s", tensor.ShapeOf(want)))
	}
	c := choice{f: f, at: at, op: op, selector: selector}
	var first T
	for i, branch := range branches {
		if f.b.err != nil {
			if i == 0 && branch != nil {
				first = branch() // for the structure of the result
			}
			return placeholders(f, first)
		}
		var tree T
		c.branch(c.name(names[i]), func() (values []Value, err error) {
			tree = branch()
			return leaves(tree)
		})
		if i == 0 {
			first = tree
		} else if f.b.err == nil {
			if err := difference(first, tree, names[0], names[i]); err != nil {
				f.b.fail(at, op, []Value{selector}, fmt.Errorf("the branches return different types: %w", err))
			}
		}
	}
	results, ok := c.create()
	if !ok {
		return placeholders(f, first)
	}
	return rebuild(first, results)
}

// choice is an if or a case under construction.
type choice struct {
	f        *Func
	at       place
	op       string
	selector Value
	branches []*scope
	results  [][]Value // of each branch
}

// name returns the name of a branch in errors.
func (c *choice) name(branch string) string {
	if c.op == "if" {
		return "the " + branch + " branch of the if"
	}
	return branch + " of the case"
}

func (c *choice) branch(name string, build func() ([]Value, error)) {
	f := c.f
	s, _ := f.open(c.at, name, nil, true)
	s.entry = s.outer.token // like any other value from outside
	results, ok := s.build(func() []Value {
		values, err := build()
		if err != nil {
			f.b.fail(c.at, name, nil, err)
		}
		return values
	})
	if ok {
		c.branches, c.results = append(c.branches, s), append(c.results, results)
	}
}

// create adds the operation and returns its results.
func (c *choice) create() ([]Value, bool) {
	f := c.f
	if f.b.err != nil {
		for _, s := range c.branches {
			s.drop()
		}
		return nil, false
	}
	// If any branch has an effect, every branch returns that effect's token. It returns no
	// other value from outside, because that would be copied.
	var effects []string
	for _, s := range c.branches {
		for _, effect := range s.effects {
			if !slices.Contains(effects, effect) {
				effects = append(effects, effect)
			}
		}
	}
	regions := make([]mlir.Region, len(c.branches))
	for i, s := range c.branches {
		for _, effect := range effects {
			t, ok := s.tokens[effect]
			if !ok {
				t, ok = s.fence()
			}
			if !ok {
				t = f.scope.tokens[effect]
			}
			c.results[i] = append(c.results[i], t)
		}
		regions[i] = s.end(c.results[i])
	}
	var o operation = stablehlo.CaseOp{Index: c.selector.v, Branches: regions}
	if c.op == "if" {
		o = stablehlo.IfOp{Pred: c.selector.v, TrueBranch: regions[0], FalseBranch: regions[1]}
	}
	op, ok := f.append(c.at, c.op, []Value{c.selector}, o)
	if !ok {
		return nil, false
	}
	return f.takeTokens(f.results(op), effects), true
}
