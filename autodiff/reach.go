package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
)

// reach is the set of values that inputs reach through operations with derivatives: the values that may
// have tangents or, in a linear function, those that are linear in its inputs.
type reach map[mlir.Value]bool

func reachOf(inputs []mlir.Value) reach {
	l := reach{}
	for _, v := range inputs {
		l[v] = true
	}
	return l
}

// block adds the values of a block, whose arguments are in the set if they are reached.
func (l reach) block(b mlir.Block) {
	for _, op := range transform.Operations(b) {
		l.operation(op)
	}
}

// operation adds the values of an operation.
func (l reach) operation(op mlir.Operation) {
	switch op.Name() {
	case "stablehlo.while":
		l.loop(op)
	case callop.Manual:
		body := op.Region(0).First()
		for i, v := range op.Operands() {
			l.add(body.Argument(i), l[v])
		}
		l.block(body)
		for i, v := range body.Terminator().Operands() {
			l.add(op.Result(i), l[v])
		}
	case "stablehlo.if", "stablehlo.case":
		for _, r := range op.Regions() {
			l.block(r.First())
			for i, v := range r.First().Terminator().Operands() {
				l.add(op.Result(i), l[v])
			}
		}
	case "stablehlo.optimization_barrier":
		for i, v := range op.Operands() {
			l.add(op.Result(i), l[v])
		}
	default:
		if slices.ContainsFunc(transform.Uses(op), func(v mlir.Value) bool { return l[v] }) && !isZero(op) {
			for _, v := range op.Results() {
				l.add(v, true)
			}
		}
	}
}

func (l reach) add(v mlir.Value, reached bool) {
	if reached && differentiable(v.Type()) {
		l[v] = true
	}
}

// loop adds the values of a loop: those that an initial value or a step reaches.
func (l reach) loop(op mlir.Operation) {
	body := op.Region(1).First()
	for changed := true; changed; {
		changed = false
		for i, v := range op.Operands() {
			if (l[v] || l[body.Terminator().Operand(i)]) && !l[op.Result(i)] && differentiable(v.Type()) {
				changed = true
				l[op.Result(i)], l[body.Argument(i)] = true, true
			}
		}
		n := len(l)
		l.block(body)
		changed = changed || len(l) > n
	}
}
