package vmap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// between has the operations and custom calls between devices whose place the batch takes.
var between map[string]rule

// betweenOf returns the rule of an operation between devices, or nil.
func betweenOf(op mlir.Operation) rule {
	if call, ok := stablehlo.AsCustomCall(op); ok {
		return between[call.Target]
	}
	return between[op.Name()]
}

func init() { // the rules refer to the table
	between = map[string]rule{
		"stablehlo.all_reduce":           combineAll,
		"stablehlo.all_gather":           gatherAll,
		"stablehlo.all_to_all":           exchange,
		"stablehlo.collective_broadcast": takeFirst,
		"stablehlo.collective_permute":   permute,
		"stablehlo.cross-replica-sum":    combineAll,
		"stablehlo.reduce_scatter":       combineAndScatter,
		"stablehlo.partition_id":         number,
		"stablehlo.replica_id":           number,
		raggedAllToAll:                   exchangeRagged,
	}
}

// uniform has those of them whose results are the same for all elements of a group.
var uniform = []string{
	"stablehlo.all_reduce", "stablehlo.all_gather", "stablehlo.collective_broadcast", "stablehlo.cross-replica-sum",
}

// part returns an element of a batch.
func (b *batcher) part(x mlir.Value, element int64) mlir.Value {
	return b.Reshape(b.cut(x, element, element+1, 1), transform.Dims(x)[1:]...)
}

// cut returns elements of a batch, each the step-th one, as a smaller batch.
func (b *batcher) cut(x mlir.Value, from, to, step int64) mlir.Value {
	limit := slices.Clone(transform.Dims(x))
	start, strides := make([]int64, len(limit)), transform.Ones(len(limit))
	start[0], limit[0], strides[0] = from, to, step
	return b.Slice(x, start, limit, strides)
}

// combine returns the combination of all elements of a batch by the computation of an operation.
func (b *batcher) combine(op mlir.Operation, x mlir.Value) mlir.Value {
	if op.NumRegions() == 0 || isSum(op.Region(0).First()) {
		return b.total(x)
	}
	for n := b.size; n > 1; n = transform.Dims(x)[0] { // by halves
		y := b.computed(op.Region(0).First(), b.cut(x, 0, n/2, 1), b.cut(x, n/2, n/2*2, 1))
		if n%2 == 1 {
			y = b.Do(stablehlo.ConcatenateOp{Inputs: []mlir.Value{y, b.cut(x, n-1, n, 1)}})
		}
		x = y
	}
	return b.part(x, 0)
}

// isSum reports whether a computation adds its two arguments.
func isSum(body mlir.Block) bool {
	inner := transform.Operations(body)
	return len(inner) == 1 && inner[0].Name() == "stablehlo.add" &&
		slices.Equal(inner[0].OperandValues(), body.ArgumentValues())
}

// computed returns what a computation of two numbers makes of the elements of arrays: it is the batch of them.
func (b *batcher) computed(body mlir.Block, x, y mlir.Value) mlir.Value {
	shape := transform.Dims(x)
	flat := *b
	flat.size, flat.axis = 1, nil
	for _, n := range shape {
		flat.size *= n
	}
	flat.evaluate(body, []mlir.Value{b.Reshape(x, flat.size), b.Reshape(y, flat.size)})
	return b.Reshape(flat.full(body.Terminator().Operand(0)), shape...)
}

func combineAll(b *batcher, op mlir.Operation) (results []mlir.Value) {
	g := b.grouped(op)
	for _, v := range op.Operands() {
		x := b.full(v)
		if len(g.groups) == 1 { // it needs no dimension
			results = append(results, g.combine(op, g.pick(x, g.order)))
		} else {
			results = append(results, g.same(g.combine(op, g.from(x))))
		}
	}
	return results
}

func gatherAll(b *batcher, op mlir.Operation) (results []mlir.Value) {
	o, _ := stablehlo.AsAllGather(op)
	g := b.grouped(op)
	for _, v := range op.Operands() {
		results = append(results, g.same(g.fold(g.from(b.full(v)), o.AllGatherDim+1, 1)))
	}
	return results
}

func takeFirst(b *batcher, op mlir.Operation) []mlir.Value {
	g := b.grouped(op)
	return []mlir.Value{g.same(g.part(g.from(b.full(op.Operand(0))), 0))}
}

func combineAndScatter(b *batcher, op mlir.Operation) []mlir.Value {
	o, _ := stablehlo.AsReduceScatter(op)
	g := b.grouped(op)
	return []mlir.Value{g.to(g.unfold(g.combine(op, g.from(b.full(o.Operand))), o.ScatterDimension+1, 1))}
}

// exchange gives each element a part of all others of its group.
func exchange(b *batcher, op mlir.Operation) (results []mlir.Value) {
	o, _ := stablehlo.AsAllToAll(op)
	g := b.grouped(op)
	for _, v := range op.Operands() {
		x := g.from(b.full(v))
		split := int(o.SplitDimension) + 2
		parts := slices.Insert(slices.Clone(transform.Dims(x)), split, g.size) // from, groups, ..., to, a part, ...
		parts[split+1] /= g.size
		x = g.move(g.Reshape(x, parts...), split, 0) // to, from, groups, ...
		x = g.move(x, 1, int(o.ConcatDimension)+2)   // to, groups, ..., from, what it goes before, ...
		shape := slices.Concat([]int64{g.size, int64(len(g.groups))}, transform.Dims(op.Result(len(results))))
		results = append(results, g.to(g.Reshape(x, shape...)))
	}
	return results
}

// permute gives each element another one, or zeros.
func permute(b *batcher, op mlir.Operation) []mlir.Value {
	pairs, _ := b.lists(op)
	from := slices.Repeat([]int64{none}, int(b.size))
	for _, p := range pairs {
		from[p[1]] = p[0]
	}
	return []mlir.Value{b.pick(b.full(op.Operand(0)), from)}
}

// number returns the numbers of the devices. With other axes, a device along these looks up those that have its place.
func number(b *batcher, op mlir.Operation) []mlir.Value {
	t := op.Result(0).Type()
	element, devices := transform.Element(t), b.axis.devices
	switch {
	case len(devices) == 1 && slices.Equal(devices[0], transform.UpTo(int(b.size))):
		return []mlir.Value{b.Iota(element, 0, b.size)}
	case len(devices) == 1:
		return []mlir.Value{b.Constant(b.tensor(element, b.size), literal(devices[0]))}
	case b.axis.name == "":
		transform.Fail(op, "the number of a device is not known along the axes of its mesh that are not manual: "+
			"it is in a manual computation over %s", b.axis)
	}
	all := int64(b.axis.mesh.NumDevices())
	table := make([][]int64, all)
	for _, row := range devices {
		for _, device := range row {
			table[device] = row
		}
	}
	row := b.Do(stablehlo.DynamicSliceOp{
		Operand:      b.Constant(b.tensor(element, all, b.size), literal(table)),
		StartIndices: []mlir.Value{b.copy(op).Result(0), b.Zero(t)}, SliceSizes: []int64{1, b.size},
	})
	return []mlir.Value{b.Reshape(row, b.size)}
}

// literal returns numbers as MLIR writes them in a constant.
func literal(x any) string { return strings.ReplaceAll(fmt.Sprint(x), " ", ", ") }
