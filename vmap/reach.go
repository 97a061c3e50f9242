package vmap

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
)

// reach finds the values that batched ones reach, before they are created.
type reach struct {
	*batcher
	more map[mlir.Value]bool
}

func (b *batcher) reach() reach { return reach{b, map[mlir.Value]bool{}} }

func (r reach) is(v mlir.Value) bool { return r.more[v] || r.batched(v) }

func (r reach) add(v mlir.Value, batched bool) {
	if batched && !r.tokens[v] {
		r.more[v] = true
	}
}

// block adds the values of a block.
func (r reach) block(b mlir.Block) {
	for _, op := range transform.Operations(b) {
		switch op.Name() {
		case "stablehlo.while":
			r.loop(op)
		case "stablehlo.if", "stablehlo.case":
			r.branches(op)
		case "stablehlo.optimization_barrier":
			for i, v := range op.Operands() {
				r.add(op.Result(i), r.is(v))
			}
		default: // also of a manual computation: if one is, all its results are
			batched := r.communicates(op) || r.isEach(op)
			switch {
			case r.between(op):
				batched = !r.isUniform(op)
			case r.axis.isOutside() && r.replaces(op):
				continue // its results are not divided
			}
			for inner := range op.All() {
				batched = batched || slices.ContainsFunc(inner.OperandValues(), r.is)
			}
			for _, v := range op.Results() {
				r.add(v, batched)
			}
		}
	}
}

func (r reach) branches(op mlir.Operation) {
	for _, region := range op.Regions() {
		r.block(region.First())
		for i, v := range region.First().Terminator().Operands() {
			r.add(op.Result(i), r.is(v) || r.is(op.Operand(0)))
		}
	}
}

// loop adds what a loop carries: what an initial value, a step or, if elements of the batch end at different
// steps, the condition reaches.
func (r reach) loop(op mlir.Operation) {
	cond, body := op.Region(0).First(), op.Region(1).First()
	end := body.Terminator()
	for changed := true; changed; {
		changed = false
		r.block(cond)
		r.block(body)
		differs := r.is(cond.Terminator().Operand(0))
		for i, v := range op.Operands() {
			reached := r.is(v) || r.is(end.Operand(i)) || differs && end.Operand(i) != body.Argument(i)
			if reached && !r.tokens[v] && !r.more[op.Result(i)] {
				changed = true
				r.more[op.Result(i)], r.more[body.Argument(i)], r.more[cond.Argument(i)] = true, true, true
			}
		}
	}
}
