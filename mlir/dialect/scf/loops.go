package scf

import (
	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/mlir"
)

// For creates a loop from lower up to, and without, upper. body builds one iteration, at
// the insertion point of b, and gets the induction variable.
func For(b *mlir.Builder, lower, upper, step mlir.Value, body func(i mlir.Value)) mlir.Operation {
	types := ods.Types(b, "the bounds of scf.for", []mlir.Value{lower, upper, step})
	if types == nil {
		return Yield(b)
	}
	ods.Needs(b, body != nil)
	region := b.Region(func(in []mlir.Value) {
		body(in[0])
		Yield(b)
	}, types[0])
	return ForOp{LowerBound: lower, UpperBound: upper, Step: step, Region: region}.Create(b)
}

// Nest creates loops inside one another, one for each number in sizes, from 0 up to, and
// without, that number. body builds the innermost one, and gets the induction variables, of
// type index.
func Nest(b *mlir.Builder, sizes []int64, body func(i []mlir.Value)) {
	ods.Needs(b, body != nil)
	index := b.Context().IndexType()
	number := func(v int64) mlir.Value {
		return b.Create(mlir.OperationState{Name: "arith.constant", Results: []mlir.Type{index},
			Attributes: []mlir.NamedAttribute{{Name: "value", Value: b.Context().IntegerAttribute(index, v)}}}).Result(
			0)
	}
	var upper []mlir.Value
	for _, size := range sizes {
		upper = append(upper, number(size))
	}
	zero, one := number(0), number(1)
	var in []mlir.Value
	var loop func()
	loop = func() {
		if len(in) == len(upper) {
			body(in)
			return
		}
		For(b, zero, upper[len(in)], one, func(i mlir.Value) {
			in = append(in, i)
			loop()
		})
	}
	if b.Err() == nil {
		loop()
	}
}

// Iterate creates a loop as For does that carries values from one iteration to the next. body
// gets and returns them. Iterate returns those of the last iteration.
func Iterate(
	b *mlir.Builder, lower, upper, step mlir.Value, initial []mlir.Value,
	body func(i mlir.Value, carried []mlir.Value) []mlir.Value,
) []mlir.Value {
	bounds := ods.Types(b, "the bounds of scf.for", []mlir.Value{lower, upper, step})
	carried := ods.Types(b, "the initial values of scf.for", initial)
	if b.Err() != nil {
		return ods.Results(Yield(b), len(initial))
	}
	ods.Needs(b, body != nil)
	region := b.Region(func(in []mlir.Value) {
		Yield(b, body(in[0], in[1:])...)
	}, append([]mlir.Type{bounds[0]}, carried...)...)
	op := ForOp{LowerBound: lower, UpperBound: upper, Step: step, InitArgs: initial, ResultsTypes: carried,
		Region: region}.Create(b)
	return ods.Results(op, len(initial))
}

// If creates a condition without results. otherwise may be nil.
func If(b *mlir.Builder, condition mlir.Value, then, otherwise func()) mlir.Operation {
	branch := func(body func()) mlir.Region {
		if body == nil {
			return mlir.Region{}
		}
		return b.Region(func([]mlir.Value) {
			body()
			Yield(b)
		})
	}
	return IfOp{Condition: condition, ThenRegion: branch(then), ElseRegion: branch(otherwise)}.Create(b)
}

// Choose creates a condition and returns the values that then or otherwise return, which have
// the same types.
func Choose(b *mlir.Builder, condition mlir.Value, then, otherwise func() []mlir.Value) []mlir.Value {
	n := 0
	branch := func(body func() []mlir.Value) mlir.Region {
		return b.Region(func([]mlir.Value) {
			values := body()
			n = len(values)
			Yield(b, values...)
		})
	}
	ods.Needs(b, then != nil && otherwise != nil)
	op := IfOp{Condition: condition, ThenRegion: branch(then), ElseRegion: branch(otherwise)}.Create(b)
	return ods.Results(op, n)
}

// While creates a loop. before gets the carried values, and returns whether to go on and the
// values for after, which returns the carried values of the next iteration. While returns what
// before returned last.
func While(
	b *mlir.Builder, initial []mlir.Value, before func(carried []mlir.Value) (mlir.Value, []mlir.Value),
	after func([]mlir.Value) []mlir.Value,
) []mlir.Value {
	ods.Needs(b, before != nil && after != nil)
	var results []mlir.Type
	first := b.Region(func(in []mlir.Value) {
		on, values := before(in)
		results = ods.Types(b, "what the first function of scf.while returns", values)
		Condition(b, on, values...)
	}, ods.Types(b, "the initial values of scf.while", initial)...)
	second := b.Region(func(in []mlir.Value) {
		Yield(b, after(in)...)
	}, results...)
	op := WhileOp{Inits: initial, ResultsTypes: results, Before: first, After: second}.Create(b)
	return ods.Results(op, len(results))
}

// Parallel creates a loop whose iterations may run at the same time, for each combination of
// the induction variables that body gets.
func Parallel(b *mlir.Builder, lower, upper, step []mlir.Value, body func(i []mlir.Value)) mlir.Operation {
	ods.Needs(b, body != nil)
	region := b.Region(func(in []mlir.Value) {
		body(in)
		ReduceOp{}.Create(b)
	}, ods.Types(b, "the bounds of scf.parallel", lower)...)
	return ParallelOp{LowerBound: lower, UpperBound: upper, Step: step, Region: region}.Create(b)
}
