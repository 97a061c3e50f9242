package vmap

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// between has the operations between devices whose place the batch takes.
var between map[string]rule

func init() { // the rules refer to the table
	between = map[string]rule{
		"stablehlo.all_reduce": combineAll,
		"stablehlo.all_gather": gatherAll,
		"stablehlo.all_to_all": exchange,
		"stablehlo.collective_broadcast": func(b *batcher, op mlir.Operation) []mlir.Value {
			return []mlir.Value{b.part(b.full(op.Operand(0)), 0)}
		},
		"stablehlo.collective_permute": permute,
		"stablehlo.cross-replica-sum":  combineAll,
		"stablehlo.reduce_scatter":     combineAndScatter,
		"stablehlo.partition_id":       number,
		"stablehlo.replica_id":         number,
	}
}

// uniform has those of them whose results are the same for all elements.
var uniform = []string{
	"stablehlo.all_reduce", "stablehlo.all_gather", "stablehlo.collective_broadcast", "stablehlo.cross-replica-sum",
}

// part returns an element of a batch.
func (b *batcher) part(x mlir.Value, element int64) mlir.Value {
	return b.Reshape(b.cut(x, element, element+1), transform.Dims(x)[1:]...)
}

// cut returns elements of a batch, as a smaller batch.
func (b *batcher) cut(x mlir.Value, from, to int64) mlir.Value {
	start, limit := make([]int64, transform.Rank(x)), slices.Clone(transform.Dims(x))
	start[0], limit[0] = from, to
	return b.Slice(x, start, limit, transform.Ones(transform.Rank(x)))
}

// combine returns the combination of all elements of a batch by the computation of an operation.
func (b *batcher) combine(op mlir.Operation, x mlir.Value) mlir.Value {
	name := "stablehlo.add"
	if op.NumRegions() > 0 {
		body := op.Region(0).First()
		inner := transform.Operations(body)
		if len(inner) != 1 || inner[0].NumOperands() != 2 ||
			!slices.Equal(inner[0].OperandValues(), body.ArgumentValues()) {
			transform.Fail(op, "its computation is not one operation on its two arguments, so that it is not known for a batch")
		}
		name = inner[0].Name()
	}
	if name == "stablehlo.add" {
		return b.total(x)
	}
	for n := b.size; n > 1; n = transform.Dims(x)[0] { // by halves
		y := b.Elementwise(name, b.cut(x, 0, n/2), b.cut(x, n/2, n/2*2))
		if n%2 == 1 {
			y = b.Do(stablehlo.ConcatenateOp{Inputs: []mlir.Value{y, b.cut(x, n-1, n)}})
		}
		x = y
	}
	return b.part(x, 0)
}

func combineAll(b *batcher, op mlir.Operation) (results []mlir.Value) {
	for _, v := range op.Operands() {
		results = append(results, b.combine(op, b.full(v)))
	}
	return results
}

func gatherAll(b *batcher, op mlir.Operation) (results []mlir.Value) {
	o, _ := stablehlo.AsAllGather(op)
	for _, v := range op.Operands() {
		results = append(results, b.fold(b.full(v), o.AllGatherDim, 1))
	}
	return results
}

func combineAndScatter(b *batcher, op mlir.Operation) []mlir.Value {
	o, _ := stablehlo.AsReduceScatter(op)
	return []mlir.Value{b.unfold(b.combine(op, b.full(o.Operand)), o.ScatterDimension, 1)}
}

// exchange gives each element a part of all others.
func exchange(b *batcher, op mlir.Operation) (results []mlir.Value) {
	o, _ := stablehlo.AsAllToAll(op)
	for _, v := range op.Operands() {
		x := b.full(v)
		split := int(o.SplitDimension) + 1
		parts := slices.Insert(slices.Clone(transform.Dims(x)), split, b.size) // from, ..., to, a part, ...
		parts[split+1] /= b.size
		x = b.move(b.Reshape(x, parts...), split, 0) // to, from, ...
		x = b.move(x, 1, int(o.ConcatDimension)+1)   // to, ..., from, what it goes before, ...
		results = append(results, b.Reshape(x, first(b.size, transform.Dims(op.Result(len(results))))...))
	}
	return results
}

// permute gives each element another one, or zeros. Elements that are neighbours before and after are moved at once.
func permute(b *batcher, op mlir.Operation) []mlir.Value {
	pairs, _ := b.pairs(op)
	x := b.full(op.Operand(0))
	from := slices.Repeat([]int64{none}, int(b.size))
	for _, p := range pairs {
		from[p[1]] = p[0]
	}
	var parts []mlir.Value
	for i := int64(0); i < b.size; {
		n, step := int64(1), int64(1)
		if from[i] == none {
			step = 0
		}
		for i+n < b.size && from[i+n] == from[i]+n*step {
			n++
		}
		if from[i] == none {
			parts = append(parts, b.Zero(b.tensor(transform.Element(x.Type()), first(n, transform.Dims(x)[1:])...)))
		} else {
			parts = append(parts, b.cut(x, from[i], from[i]+n))
		}
		i += n
	}
	return []mlir.Value{b.Do(stablehlo.ConcatenateOp{Inputs: parts})}
}

// none is the source of an element that gets zeros.
const none = -1

// number returns the numbers of the devices: those of the elements or, with other axes, what the device of the other
// axes has in its place.
func number(b *batcher, op mlir.Operation) []mlir.Value {
	t := op.Result(0).Type()
	numbers := b.Iota(transform.Element(t), 0, b.size)
	if b.axis.mesh.NumDevices() <= int(b.size) {
		return []mlir.Value{numbers}
	}
	stride := b.Number(t, float64(b.axis.stride()))
	id := b.copy(op).Result(0)
	mine := b.Binary(stablehlo.Remainder, b.Binary(stablehlo.Divide, id, stride), b.Number(t, float64(b.size)))
	rest := b.Binary(stablehlo.Subtract, id, b.Binary(stablehlo.Multiply, mine, stride))
	spread := func(v mlir.Value) mlir.Value { return b.Broadcast(v, nil, b.size) }
	return []mlir.Value{
		b.Binary(stablehlo.Add, spread(rest), b.Binary(stablehlo.Multiply, numbers, spread(stride))),
	}
}
