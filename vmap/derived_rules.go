package vmap

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// withJVP calls the function that computes the batch of a callback, as a composite whose rule for forward mode is the
// batch of the callback's.
func (b *batcher) withJVP(
	op mlir.Operation, name, jvp string, operands []mlir.Value, results []mlir.Type,
) []mlir.Value {
	types := mlir.TypesOf(operands)
	rule := b.wrap(op, jvp, "jvp", slices.Concat(types, types), func(w *batcher, v []mlir.Value) []mlir.Value {
		x, dx := v[:len(types)], v[len(types):]
		both := slices.Concat(results, floats(results))
		made := w.call(b.batchOf(op, jvp), slices.Concat(x, differentiable(dx)), both)
		dy := made[len(results):]
		list := slices.Clone(made[:len(results)])
		for _, t := range results { // of the others, the tangent is zero
			if isFloat(t) {
				list, dy = append(list, dy[0]), dy[1:]
			} else {
				list = append(list, w.Zero(t))
			}
		}
		return list
	})
	return b.composite(transform.CustomJVP, name, operands, results, map[string]string{"jvp": rule})
}

// withVJP is withJVP for a rule for reverse mode.
func (b *batcher) withVJP(
	op mlir.Operation, name, vjp string, operands []mlir.Value, results []mlir.Type,
) []mlir.Value {
	types := mlir.TypesOf(operands)
	forward := b.wrap(op, vjp, "forward", types, func(w *batcher, x []mlir.Value) []mlir.Value {
		y := w.call(name, x, results)
		return slices.Concat(y, x, y)
	})
	parameters := slices.Concat(types, results, results)
	backward := b.wrap(op, vjp, "backward", parameters, func(w *batcher, v []mlir.Value) []mlir.Value {
		n := len(types) + len(results)
		return w.call(b.batchOf(op, vjp), slices.Concat(v[:n], differentiable(v[n:])), floats(types))
	})
	rules := map[string]string{"forward": forward, "backward": backward}
	return b.composite(transform.CustomVJP, name, operands, results, rules)
}

// composite creates a composite of a function of the module, with functions that are its rules.
func (b *batcher) composite(
	kind, name string, operands []mlir.Value, results []mlir.Type, rules map[string]string,
) []mlir.Value {
	attributes := []mlir.NamedAttribute{b.int("arguments", int64(len(operands)))}
	for key, rule := range rules {
		attributes = append(attributes, mlir.NamedAttribute{Name: key, Value: b.Context.SymbolAttribute(rule)})
	}
	return b.Op(stablehlo.CompositeOp{
		Name: kind, Decomposition: name, Inputs: operands, ResultTypes: results,
		CompositeAttributes: b.Context.DictionaryAttribute(attributes...),
	}).ResultValues()
}

// batchOf adds the batch of a function of the module, along all its parameters, and returns its name.
func (b *batcher) batchOf(op mlir.Operation, name string) string {
	f, ok := b.table.Lookup(name)
	if !ok || f.Name() != "func.func" || f.Region(0).NumBlocks() != 1 {
		transform.Fail(op, "the function @%s, which has its derivative, is not in the module", name)
	}
	return b.function(f, make([]int, f.Region(0).First().NumArguments()))
}

// wrap adds a function with parameters of these types, and what results returns.
func (b *batcher) wrap(
	op mlir.Operation, name, kind string, types []mlir.Type, results func(w *batcher, v []mlir.Value) []mlir.Value,
) string {
	made, known := b.reserve(name, kind)
	if known {
		return made
	}
	f := transform.NewFunction(op.Location(), name, types)
	transform.Must(b.table.Insert(f))
	end := f.Region(0).First().Terminator()
	w := &batcher{Emitter: transform.NewEmitter(end, op.Location()), size: b.size}
	end.SetOperands(results(w, f.Region(0).First().ArgumentValues())...)
	transform.Settle(f, b.table, made)
	f.SetVisibility(mlir.Private)
	return made
}

func isFloat(t mlir.Type) bool { return transform.IsFloat(t) || transform.IsComplex(t) }

// floats returns the types of values that have tangents.
func floats(types []mlir.Type) []mlir.Type {
	return slices.DeleteFunc(slices.Clone(types), func(t mlir.Type) bool { return !isFloat(t) })
}

// differentiable returns the values that have tangents.
func differentiable(values []mlir.Value) []mlir.Value {
	return slices.DeleteFunc(slices.Clone(values), func(v mlir.Value) bool { return !isFloat(v.Type()) })
}
