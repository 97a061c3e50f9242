package vmap

import (
	"maps"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// batcher creates the operations of a function again, for a batch.
type batcher struct {
	*transform.Emitter
	size   int64
	method contract.BatchMethod
	table  *mlir.SymbolTable // of the module
	// values has what stands for the values of the source. Batched ones have one dimension more, the
	// first one.
	values map[mlir.Value]mlir.Value
	tokens map[mlir.Value]bool // of the source, which are never batched
	made   map[string]string   // see Options
	axis   *axis               // see Options.AxisName; nil without one
}

// get returns what stands for a value of the source.
func (b *batcher) get(v mlir.Value) mlir.Value {
	if with, ok := b.values[v]; ok {
		return with
	}
	return v
}

// batched reports whether a batch stands for a value of the source.
func (b *batcher) batched(v mlir.Value) bool { return transform.Rank(b.get(v)) > transform.Rank(v) }

// full returns the batch of a value of the source, with equal elements if it is not batched.
func (b *batcher) full(v mlir.Value) mlir.Value {
	if b.batched(v) {
		return b.get(v)
	}
	return b.copies(b.get(v))
}

// copies returns a batch of equal elements.
func (b *batcher) copies(x mlir.Value) mlir.Value {
	return b.Broadcast(x, after(transform.UpTo(transform.Rank(x))), first(b.size, transform.Dims(x))...)
}

// all returns the batches of the operands of an operation.
func (b *batcher) all(op mlir.Operation) []mlir.Value {
	list := op.OperandValues()
	for i, v := range list {
		list[i] = b.full(v)
	}
	return list
}

// typeOf returns the type of a batch of values of a type.
func (b *batcher) typeOf(t mlir.Type) mlir.Type {
	shape, _ := t.Dims()
	return b.tensor(transform.Element(t), first(b.size, shape)...)
}

func (b *batcher) tensor(element mlir.Type, shape ...int64) mlir.Type {
	return transform.Must(b.Context.TensorType(element, shape...))
}

// move returns x with a dimension at another place.
func (b *batcher) move(x mlir.Value, from, to int) mlir.Value {
	order := slices.Delete(transform.UpTo(transform.Rank(x)), from, from+1)
	return b.Transpose(x, slices.Insert(order, to, int64(from)))
}

// choose returns the elements of x where pred, one value for each element of the batch, is true, and
// those of y elsewhere.
func (b *batcher) choose(pred, x, y mlir.Value) mlir.Value {
	return b.Select(b.Broadcast(pred, []int64{0}, transform.Dims(x)...), x, y)
}

// copy creates an operation of the source again, as it is.
func (b *batcher) copy(op mlir.Operation) mlir.Operation {
	copied := op.Clone()
	for inner := range copied.All() {
		for i, v := range inner.Operands() {
			if with, ok := b.values[v]; ok {
				inner.SetOperand(i, with)
			}
		}
	}
	return b.Before.Block().InsertBefore(b.Before, copied)
}

// apply creates an operation of the source again with batched results, from other operands and with
// other attributes.
func (b *batcher) apply(op mlir.Operation, operands []mlir.Value, attributes ...mlir.NamedAttribute) []mlir.Value {
	made := b.copy(op)
	made.SetOperands(operands...)
	for _, a := range attributes {
		made.SetAttribute(a.Name, a.Value)
	}
	for _, v := range made.Results() {
		v.SetType(b.typeOf(v.Type()))
	}
	return keepNotes(op, made).ResultValues()
}

// keepNotes gives an operation that stands for another one its attributes of other dialects, such as the most steps of
// a loop. Shardings are left out: they are of other shapes.
func keepNotes(op, made mlir.Operation) mlir.Operation {
	for name, a := range op.Attributes() {
		if _, ok := made.Attribute(name); !ok && strings.Contains(name, ".") {
			made.SetAttribute(name, a)
		}
	}
	for _, name := range []string{"mhlo.sharding", "sdy.sharding", "sdy.sharding_rule"} {
		made.RemoveAttribute(name)
	}
	return made
}

// keepEachNote is keepNotes for the operation that a rule created, if it is of the same name. Those of custom calls say
// how they are called, which their rules know.
func (b *batcher) keepEachNote(op mlir.Operation, results []mlir.Value) []mlir.Value {
	if op.Name() == "stablehlo.custom_call" {
		return results
	}
	given := map[mlir.Value]bool{}
	for _, v := range op.Operands() {
		given[b.get(v)] = true
	}
	for _, v := range results {
		if v.IsResult() && v.Owner().Name() == op.Name() && !given[v] {
			keepNotes(op, v.Owner())
		}
	}
	return results
}

func (b *batcher) ints(name string, values []int64) mlir.NamedAttribute {
	return mlir.NamedAttribute{Name: name, Value: mlir.NewDenseArray(b.Context, values...)}
}

func (b *batcher) int(name string, value int64) mlir.NamedAttribute {
	i64 := b.Context.IntegerType(64, mlir.Signless)
	return mlir.NamedAttribute{Name: name, Value: b.Context.IntegerAttribute(i64, value)}
}

// region returns a region with arguments, whose results f computes.
func (b *batcher) region(types []mlir.Type, f func(arguments []mlir.Value) []mlir.Value) mlir.Region {
	r, block := b.Region(types...)
	b.At(block.Terminator(), func() { block.Terminator().SetOperands(f(block.ArgumentValues())...) })
	return r
}

// evaluate creates the operations of a block, with values as its arguments. The results of its terminator have
// their values then.
func (b *batcher) evaluate(block mlir.Block, with []mlir.Value) {
	for i, v := range block.Arguments() {
		b.values[v] = with[i]
	}
	b.block(block)
}

// block creates the operations of a block.
func (b *batcher) block(block mlir.Block) {
	for _, op := range transform.Operations(block) {
		b.Loc = op.Location()
		results := b.operation(op)
		for i, v := range op.Results() {
			b.values[v] = results[i]
		}
	}
}

// operation creates one operation.
func (b *batcher) operation(op mlir.Operation) []mlir.Value {
	of := b.dependencies(op)
	if b.between(op) {
		return betweenOf(op)(b, op)
	}
	if len(of) == 0 && !b.communicates(op) && !b.isEach(op) {
		return b.copy(op).ResultValues()
	}
	for _, v := range slices.Concat(op.OperandValues(), op.ResultValues()) {
		_, static := v.Type().NumElements()
		switch array := v.Type().IsRankedTensor(); {
		case array && !static:
			transform.Fail(op, "%s: %s", v.Type(), refine)
		case !array && !b.tokens[v]:
			transform.Fail(op, "%s is no array, so that there is no batch of it", v.Type())
		}
	}
	r, ok := rules.Of(op)
	outside := func(v mlir.Value) bool { return !slices.Contains(op.OperandValues(), v) }
	switch {
	case !ok:
		transform.Fail(op, "no rule is known that batches this operation: replace it, or keep batched values from it")
	case !transform.IsControl(op) && op.Name() != callop.Manual && slices.ContainsFunc(of, outside):
		return b.loop(op) // a region uses a batched value from outside
	case transform.IsControl(op):
		return r(b, op)
	}
	return b.keepEachNote(op, r(b, op))
}

// dependencies returns the batched values of the source that an operation and its regions use.
func (b *batcher) dependencies(op mlir.Operation) (list []mlir.Value) {
	for _, v := range transform.Uses(op) {
		if with, ok := b.values[v]; ok && transform.Rank(with) > transform.Rank(v) {
			list = append(list, v)
		}
	}
	return list
}

// isEach reports whether each device that the batch takes the place of must do an operation itself: it has an effect.
func (b *batcher) isEach(op mlir.Operation) bool {
	return b.axis != nil && b.axis.each && !b.axis.isOutside() && !transform.IsPure(op)
}

// with calls f while values of the source have others that stand for them.
func (b *batcher) with(values map[mlir.Value]mlir.Value, f func()) {
	saved := map[mlir.Value]mlir.Value{}
	for v, with := range values {
		saved[v], b.values[v] = b.get(v), with
	}
	f()
	maps.Copy(b.values, saved)
}

// anyOf reports whether one of the elements of a batch of i1 is true.
func (b *batcher) anyOf(pred mlir.Value) mlir.Value {
	scalar := b.tensor(transform.Element(pred.Type()))
	return b.Do(stablehlo.ReduceOp{
		Inputs: []mlir.Value{pred}, InitValues: []mlir.Value{b.Zero(scalar)}, Dimensions: []int64{0},
		Body: b.region([]mlir.Type{scalar, scalar}, func(v []mlir.Value) []mlir.Value {
			return []mlir.Value{b.Binary(stablehlo.Or, v[0], v[1])}
		}),
	})
}

// after returns the dimensions after the one of the batch.
func after(list []int64) []int64 {
	shifted := slices.Clone(list)
	for i := range shifted {
		shifted[i]++
	}
	return shifted
}

// first returns a list with x before the others.
func first[T any](x T, list []T) []T { return slices.Insert(slices.Clone(list), 0, x) }
