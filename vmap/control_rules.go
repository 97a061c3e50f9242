package vmap

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

var control = map[string]rule{
	"stablehlo.if":    branches,
	"stablehlo.case":  branches,
	"stablehlo.while": while,
}

// branches keeps a branch whose selector is not batched. Otherwise all regions are computed, and each
// element of the batch selects its results.
func branches(b *batcher, op mlir.Operation) []mlir.Value {
	selector := op.Operand(0)
	switch {
	case b.batched(selector) && b.inOrder(op):
		return b.loop(op)
	case b.batched(selector):
		return b.selectBranches(op)
	}
	r := b.reach()
	r.branches(op)
	var regions []mlir.Region
	for _, region := range op.Regions() {
		regions = append(regions, b.region(nil, func([]mlir.Value) []mlir.Value {
			b.evaluate(region.First(), nil)
			return b.returned(r, region.First(), op.ResultValues())
		}))
	}
	b.Loc = op.Location()
	if op.Name() == "stablehlo.if" {
		o := stablehlo.IfOp{Pred: b.get(selector), TrueBranch: regions[0], FalseBranch: regions[1]}
		return keepNotes(op, b.Op(o)).ResultValues()
	}
	return keepNotes(op, b.Op(stablehlo.CaseOp{Index: b.get(selector), Branches: regions})).ResultValues()
}

// inOrder reports whether an operation must be run for one element after the other, if they do not all run it: it has
// an effect, or returns a token.
func (b *batcher) inOrder(op mlir.Operation) bool {
	return !transform.IsPure(op) ||
		slices.ContainsFunc(op.ResultValues(), func(v mlir.Value) bool { return b.tokens[v] })
}

// returned returns what a block returns, as batches for those results that are reached.
func (b *batcher) returned(r reach, block mlir.Block, results []mlir.Value) []mlir.Value {
	list := block.Terminator().OperandValues()
	for i, v := range list {
		if r.is(results[i]) {
			list[i] = b.full(v)
		} else {
			list[i] = b.get(v)
		}
	}
	return list
}

func (b *batcher) selectBranches(op mlir.Operation) []mlir.Value {
	taken := b.takenBranches(op)
	var yields [][]mlir.Value
	for i, region := range op.Regions() {
		from := region.First()
		var list []mlir.Value
		b.with(b.guard(taken[i], from), func() {
			b.evaluate(from, nil)
			for _, v := range from.Terminator().Operands() {
				list = append(list, b.full(v))
			}
		})
		yields = append(yields, list)
	}
	b.Loc = op.Location()
	results := yields[len(yields)-1]
	for i := len(yields) - 2; i >= 0; i-- {
		for k, v := range yields[i] {
			results[k] = b.choose(taken[i], v, results[k])
		}
	}
	return results
}

// takenBranches returns for each branch which elements take it. The last one is also that of an index out of bounds.
func (b *batcher) takenBranches(op mlir.Operation) (taken []mlir.Value) {
	selector := b.get(op.Operand(0))
	if op.Name() == "stablehlo.if" {
		return []mlir.Value{selector, b.Unary(stablehlo.Not, selector)}
	}
	last := op.NumRegions() - 1
	others := b.Zero(b.tensor(b.Context.IntegerType(1, mlir.Signless), b.size))
	for i := range last {
		taken = append(taken, b.Compare(stablehlo.CompareEQ, selector, b.Number(selector.Type(), float64(i))))
		others = b.Binary(stablehlo.Or, others, taken[i])
	}
	return append(taken, b.Unary(stablehlo.Not, others))
}

// guard returns the values of guarded for what a block uses from outside. An array that is the same for the whole
// batch stays that: a copy for each element would cost too much.
func (b *batcher) guard(taken mlir.Value, in mlir.Block) map[mlir.Value]mlir.Value {
	with := map[mlir.Value]mlir.Value{}
	for _, op := range transform.Operations(in) {
		for _, v := range transform.Uses(op) {
			isConstant := v.IsResult() && v.Owner().Name() == "stablehlo.constant"
			if _, ok := with[v]; !ok && transform.Home(v) != in && isFloat(v.Type()) && !isConstant &&
				(b.batched(v) || transform.Rank(v) == 0) {
				with[v] = b.guarded(taken, b.full(v))
			}
		}
	}
	return with
}

// guarded returns values for operations whose results only some elements take. They have no derivative for the others,
// for which it may be infinite or NaN, also times zero. A conversion to the same type with a mark stops it.
func (b *batcher) guarded(taken, v mlir.Value) mlir.Value {
	stopped := func(v mlir.Value) mlir.Value {
		same := b.Do(stablehlo.BitcastConvertOp{Operand: v, ResultType: v.Type()})
		same.Owner().SetAttribute(transform.Stopped, b.Context.StringAttribute("branch"))
		return same
	}
	if !transform.IsComplex(v.Type()) {
		return b.choose(taken, v, stopped(v))
	}
	// XLA's CPU compiler crashes at such a conversion of complex numbers that its simplifications leave.
	re, im := b.Do(stablehlo.RealOp{Operand: v}), b.Do(stablehlo.ImagOp{Operand: v})
	return b.choose(taken, v, b.Do(stablehlo.ComplexOp{LHS: stopped(re), RHS: stopped(im)}))
}

// while runs a loop on a batch. If its condition is batched, it runs until that of no element is true, and
// elements that have ended keep their values.
func while(b *batcher, op mlir.Operation) []mlir.Value {
	r := b.reach()
	r.loop(op)
	cond, body := op.Region(0).First(), op.Region(1).First()
	condition, end := cond.Terminator().Operand(0), body.Terminator()
	initial := op.OperandValues()
	for i, v := range initial {
		if r.is(op.Result(i)) {
			initial[i] = b.full(v)
		} else {
			initial[i] = b.get(v)
		}
	}
	if !r.is(condition) {
		types := mlir.TypesOf(initial)
		return keepNotes(op, b.Op(stablehlo.WhileOp{
			Operand: initial,
			Cond: b.region(types, func(v []mlir.Value) []mlir.Value {
				b.evaluate(cond, v)
				return []mlir.Value{b.get(condition)}
			}),
			Body: b.region(types, func(v []mlir.Value) []mlir.Value {
				b.evaluate(body, v)
				return b.returned(r, body, op.ResultValues())
			}),
		})).ResultValues()
	}
	if b.inOrder(op) {
		return b.loop(op)
	}
	b.evaluate(cond, initial)
	carried := first(b.full(condition), initial) // which elements go on, and the values
	types := mlir.TypesOf(carried)
	return keepNotes(op, b.Op(stablehlo.WhileOp{
		Operand: carried,
		Cond:    b.region(types, func(v []mlir.Value) []mlir.Value { return []mlir.Value{b.anyOf(v[0])} }),
		Body: b.region(types, func(v []mlir.Value) []mlir.Value {
			arguments := slices.Clone(v[1:])
			for i, x := range arguments {
				if isFloat(x.Type()) && r.is(op.Result(i)) {
					arguments[i] = b.guarded(v[0], x)
				}
			}
			var next []mlir.Value
			b.with(b.guard(v[0], body), func() {
				b.evaluate(body, arguments)
				b.Loc = op.Location()
				next = b.returned(r, body, op.ResultValues())
			})
			for i, with := range next {
				if end.Operand(i) == body.Argument(i) {
					next[i] = v[i+1]
				} else {
					next[i] = b.choose(v[0], with, v[i+1])
				}
			}
			b.evaluate(cond, next)
			return first(b.full(condition), next)
		}),
	})).ResultValues()[1:]
}
