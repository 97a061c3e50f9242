package vmap

import (
	"fmt"
	"maps"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// batchRules makes the functions of the module that have the derivatives of a callback those of its batch, whose data
// are operands and results.
func (b *batcher) batchRules(op mlir.Operation, config *contract.Config, operands, results []mlir.Value) {
	in, out := b.counterparts(op.OperandValues()[:len(operands)], operands), b.counterparts(op.ResultValues(), results)
	dx, dy := withTangent(in), withTangent(out)
	for _, rule := range []struct {
		rule                *contract.Rule
		parameters, results []counterpart
	}{
		{&config.Derivative.JVP, slices.Concat(in, dx), slices.Concat(out, dy)},
		{&config.Derivative.VJP, slices.Concat(in, out, dy), dx},
		{&config.Derivative.Transpose, dy, dx},
	} {
		if name, ok := rule.rule.Function(); ok {
			*rule.rule = contract.FunctionRule(b.batchRule(op, name, rule.parameters, rule.results))
		}
	}
}

// A counterpart is the type of an operand or a result of a callback, and of that of its batch.
type counterpart struct {
	of, batch mlir.Type
	expanded  bool // the batch is a dimension of size 1
}

func (b *batcher) counterparts(of, batch []mlir.Value) (list []counterpart) {
	for i, v := range batch {
		expanded := transform.Rank(v) > transform.Rank(of[i]) && transform.Dims(v)[0] != b.size
		list = append(list, counterpart{of[i].Type(), v.Type(), expanded})
	}
	return list
}

func withTangent(list []counterpart) []counterpart {
	return slices.DeleteFunc(slices.Clone(list), func(c counterpart) bool { return !isFloat(c.of) })
}

// batchRule adds the batch of a function of the module, and returns its name. What is expanded is a parameter that is
// not batched, and a result that is added up over the batch.
func (b *batcher) batchRule(op mlir.Operation, name string, parameters, results []counterpart) string {
	rule, ok := b.table.Lookup(name)
	if !ok || rule.Name() != "func.func" || rule.Region(0).NumBlocks() != 1 ||
		rule.Region(0).First().NumArguments() != len(parameters) {
		transform.Fail(op, "the function @%s, which has its derivative, is not in the module, or has other parameters", name)
	}
	in := make([]int, len(parameters))
	var types, returned []mlir.Type
	for i, c := range parameters {
		if types = append(types, c.batch); c.expanded {
			in[i] = NotBatched
		}
	}
	if !slices.ContainsFunc(slices.Concat(parameters, results), func(c counterpart) bool { return c.expanded }) {
		return b.function(rule, in)
	}
	return b.wrap(op, name, fmt.Sprint("expanded", in), types, func(e *batcher, values []mlir.Value) []mlir.Value {
		for i, c := range parameters {
			if c.expanded {
				values[i] = e.Reshape(values[i], dimsOf(c.of)...)
			}
		}
		for _, c := range results {
			returned = append(returned, e.typeOf(c.of))
		}
		values = e.call(b.function(rule, in), values, returned)
		for i, c := range results {
			if c.expanded {
				values[i] = e.Reshape(e.total(values[i]), dimsOf(c.batch)...)
			}
		}
		return values
	})
}

// function adds the batch of a function of the module, once for each choice of axes, and returns its name. A function
// may need the batch of itself, for a rule of the calls in it.
func (b *batcher) function(f mlir.Operation, in []int) string {
	name, _ := f.Symbol()
	made, known := b.reserve(name, fmt.Sprint("batch", in))
	if !known {
		o := Options{Size: b.size, In: in, Method: b.method, Name: made, axis: b.axis, made: b.made}
		transform.Must(Batch(f, o)).SetVisibility(mlir.Private)
	}
	return made
}

// reserve returns the name of a function that is made of another one, and whether it was reserved before.
func (b *batcher) reserve(name, kind string) (made string, known bool) {
	key := fmt.Sprint(name, " ", kind, " ", b.size, b.axis.isOutside())
	if made, known = b.made[key]; known {
		return made, true
	}
	taken := slices.Collect(maps.Values(b.made))
	made = name + ".batch"
	for n := 1; ; n++ {
		if _, exists := b.table.Lookup(made); !exists && !slices.Contains(taken, made) {
			break
		}
		made = fmt.Sprintf("%s.batch_%d", name, n)
	}
	b.made[key] = made
	return made, false
}

// call creates a call of a function of the module.
func (b *batcher) call(name string, operands []mlir.Value, results []mlir.Type) []mlir.Value {
	return transform.Must(mlir.Create(mlir.Before(b.Before), mlir.OperationState{
		Name: "func.call", Location: b.Loc, Operands: operands, Results: results,
		Attributes: []mlir.NamedAttribute{{Name: "callee", Value: b.Context.SymbolAttribute(name)}},
	})).ResultValues()
}

// total adds up the elements of a batch.
func (b *batcher) total(x mlir.Value) mlir.Value {
	scalar := b.tensor(transform.Element(x.Type()))
	return b.Do(stablehlo.ReduceOp{
		Inputs: []mlir.Value{x}, InitValues: []mlir.Value{b.Zero(scalar)}, Dimensions: []int64{0},
		Body: b.region([]mlir.Type{scalar, scalar}, func(v []mlir.Value) []mlir.Value {
			return []mlir.Value{b.Binary(stablehlo.Add, v[0], v[1])}
		}),
	})
}
