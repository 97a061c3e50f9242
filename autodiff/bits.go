package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
)

// bitcast is the rule of a bitcast_convert to the same type. Of others see refuseBits.
var bitcast = rule{
	multilinear: true,
	jvp: func(f *forward, op mlir.Operation) {
		if !isStopped(op) {
			f.set(op.Result(0), f.operand(op, 0))
		}
	},
	transpose: func(b *backward, op mlir.Operation) {
		if !isStopped(op) {
			b.to(op, 0, func(g mlir.Value) mlir.Value { return g })
		}
	},
}

// isStopped reports whether an operation is a conversion by which vmap makes a derivative zero.
func isStopped(op mlir.Operation) bool {
	_, ok := op.Attribute(transform.Stopped)
	return ok
}

// refuseBits ends the transformation at a bitcast_convert that makes a floating point number of the bits of a reached
// one, or of integers that depend on them. Integers have no tangents, so that the derivative would be zero. It is zero
// for a number that was converted, not bitcast, from such integers: an exponent is constant nearly everywhere.
func refuseBits(op mlir.Operation, reached func(v mlir.Value) bool) {
	from, to := mlir.Type{}, mlir.Type{}
	if op.Name() == "stablehlo.bitcast_convert" {
		from, to = op.Operand(0).Type(), op.Result(0).Type()
	}
	if from == to || !differentiable(to) {
		return
	}
	if _, known := op.Attribute(transform.Known); known {
		return
	}
	hasTangent := func(v mlir.Value) bool { return differentiable(v.Type()) && reached(v) }
	if hasTangent(op.Operand(0)) {
		failBits(op)
	}
	seen, next := map[mlir.Value]bool{}, op.OperandValues()
	for len(next) > 0 {
		v := next[len(next)-1]
		next = next[:len(next)-1]
		if seen[v] || !hasBits(v) {
			continue
		}
		seen[v] = true
		if isMadeBy(v, "stablehlo.bitcast_convert") && hasTangent(v.Owner().Operand(0)) {
			failBits(op)
		}
		next = append(next, sources(v)...)
	}
}

// sources returns the values that a value is computed from, those of a loop or a branch by their place. A parameter of
// the function has none.
func sources(v mlir.Value) (list []mlir.Value) {
	var of mlir.Operation
	if v.IsResult() {
		of = v.Owner()
	} else {
		of = v.Block().Parent()
	}
	i := v.Index()
	switch name := of.Name(); {
	case name == "func.func":
	case name == "stablehlo.while":
		list = append(list, of.Operand(i), of.Region(1).First().Terminator().Operand(i))
	case name == callop.Manual && !v.IsResult():
		list = append(list, of.Operand(i))
	case v.IsResult() && slices.Contains([]string{"stablehlo.if", "stablehlo.case", callop.Manual}, name):
		for _, r := range of.Regions() {
			list = append(list, r.First().Terminator().Operand(i))
		}
	default:
		list = of.OperandValues()
		for _, r := range of.Regions() {
			list = append(list, r.First().Terminator().OperandValues()...)
		}
	}
	return list
}

// hasBits reports whether a value has integers of several bits.
func hasBits(v mlir.Value) bool {
	t := v.Type()
	if e, ok := t.Element(); ok {
		t = e
	}
	bits, _, ok := t.IntegerWidth()
	return ok && bits > 1
}

func failBits(op mlir.Operation) {
	transform.Fail(op, "it makes a number of the bits of one that has a derivative, and no derivative of this is known: "+
		"compute it without bits, give the function a rule, or state by calliope.stop_gradient that the derivative is zero")
}
