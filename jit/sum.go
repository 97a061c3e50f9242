package jit

import (
	"math"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
)

// A sum is what several ranges compute of one result: a partial result each, which are then combined in order.
type sum struct {
	partial mlir.Value // the buffer of the partial results
	place   mlir.Value // in it
	count   int64
	elem    mlir.Type
	initial float64
}

// identities has the operations that combine partial results, with the number that changes no other one.
var identities = map[string]float64{
	"arith.addf":     math.Copysign(0, -1),
	"arith.addi":     0,
	"arith.maximumf": math.Inf(-1),
	"arith.minimumf": math.Inf(1),
	"arith.mulf":     1,
	"arith.muli":     1,
}

// combiner returns the operation that combines the result of one element with further ones, if it has an identity.
func (n nest) combiner() (op mlir.Operation, ok bool) {
	block := n.Region.First()
	result := block.Terminator().Operand(0)
	if len(n.Outputs) != 1 || result.IsArgument() || !result.Owner().Block().Equal(block) {
		return op, false
	}
	elements, _ := n.Outputs[0].Type().NumElements()
	op, partial := result.Owner(), block.Argument(len(n.Inputs))
	_, has := identities[op.Name()]
	return op, has && elements == 1 && len(slices.Collect(partial.Uses())) == 1 &&
		slices.Contains(op.OperandValues(), partial)
}

// newSum returns a sum of partial results, whose buffer is on the stack of main.
func (n nest) newSum(m *mlir.Module, combiner mlir.Operation, count int64) (sum, error) {
	f, err := main(m)
	if err != nil {
		return sum{}, err
	}
	elem := combiner.Result(0).Type()
	t, err := m.Context().MemRefType(elem, mlir.MemRefOptions{}, count)
	if err != nil {
		return sum{}, err
	}
	b := mlir.NewBuilder(mlir.AtStart(f.Region(0).First()), n.op.Location())
	buffer := memref.Alloca(b, t, nil)
	return sum{partial: buffer, count: count, elem: elem, initial: identities[combiner.Name()]}, b.Err()
}

// identity returns the first value of a partial result.
func (s sum) identity(b *mlir.Builder) mlir.Value {
	if _, isFloat := s.elem.FloatKind(); isFloat {
		return arith.ConstantFloat(b, s.elem, s.initial)
	}
	return arith.ConstantInt(b, s.elem, int64(s.initial))
}

// combine combines the result with the partial ones.
func (n nest) combine(s sum, combiner mlir.Operation) {
	b, zero := n.b, arith.ConstantIndex(n.b, 0)
	at := slices.Repeat([]mlir.Value{zero}, len(n.IteratorTypes))
	before := n.Region.First().Argument(len(n.Inputs))
	end, one := arith.ConstantIndex(b, s.count), arith.ConstantIndex(b, 1)
	first := []mlir.Value{n.load(len(n.Inputs), at)}
	n.store(scf.Iterate(b, zero, end, one, first, func(i mlir.Value, result []mlir.Value) []mlir.Value {
		partial := memref.Load(b, s.partial, i)
		if b.Err() != nil {
			return result
		}
		var copies mlir.Mapping
		for _, v := range combiner.OperandValues() {
			copies.Map(v, partial)
		}
		copies.Map(before, result[0])
		return i.Block().Append(combiner.CloneWith(&copies)).ResultValues()
	}), at)
}
