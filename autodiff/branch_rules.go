package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

var control = map[string]rule{
	"stablehlo.if":    {jvp: jvpBranches, transpose: transposeBranches},
	"stablehlo.case":  {jvp: jvpBranches, transpose: transposeBranches},
	"stablehlo.while": {jvp: jvpLoop, transpose: transposeLoop, expand: expandLoop},
}

// jvpBranches adds to the results of a branch the tangents that one of the regions computes.
func jvpBranches(f *forward, op mlir.Operation) {
	active := make([]bool, op.NumResults())
	for _, r := range op.Regions() {
		f.block(r.First())
		for i, v := range r.First().Terminator().Operands() {
			active[i] = active[i] || !f.tangent(v).IsNil()
		}
	}
	if !slices.Contains(active, true) {
		return
	}
	f.Loc = op.Location()
	for _, r := range op.Regions() {
		f.appendTangents(r.First().Terminator(), active)
	}
	f.withTangents(op, op.OperandValues(), active)
}

// appendTangents adds to the operands of a terminator the tangents of those that are active.
func (f *forward) appendTangents(terminator mlir.Operation, active []bool) {
	values := terminator.OperandValues()
	for _, v := range transform.Filter(values, active) {
		values = append(values, f.full(v))
	}
	terminator.SetOperands(values...)
}

// withTangents replaces a loop or a branch by one with further results, the tangents of those that are active.
func (f *forward) withTangents(op mlir.Operation, operands []mlir.Value, active []bool) {
	types := mlir.TypesOf(op.ResultValues())
	n := len(types)
	made := f.Remake(op, operands, append(types, transform.Filter(types, active)...))
	transform.Replace(op.ResultValues(), made.ResultValues()[:n])
	transform.Check(op.Erase())
	for _, v := range transform.Filter(made.ResultValues()[:n], active) {
		f.set(v, made.Result(n))
		n++
	}
}

// transposeBranches replaces a branch by what is not linear in it, which also returns the values that
// the transpose needs, and creates the branch of the transposed regions.
func transposeBranches(b *backward, op mlir.Operation) {
	known := make([]bool, op.NumResults())
	for i, v := range op.Results() {
		known[i] = !b.linear[v]
	}
	selector := op.Operand(0)
	n := op.NumRegions()
	parts, regions := make([]*backward, n), make([]mlir.Region, n)
	var external []mlir.Value
	for i, r := range op.Regions() {
		from := r.First()
		region, to := b.Region()
		part := b.within(to.Terminator())
		yields := from.Terminator().OperandValues()
		from.Terminator().SetOperands(transform.Filter(yields, known)...)
		for j, v := range yields {
			part.add(v, b.cotangents[op.Result(j)])
		}
		part.block(from)
		b.recompute(from, to)
		parts[i], regions[i] = part, region
		for _, v := range part.outside(from) {
			if !slices.Contains(external, v) {
				external = append(external, v)
			}
		}
	}
	for _, part := range parts {
		var yields []mlir.Value
		for _, v := range external {
			yields = append(yields, b.orZero(part.cotangents[v], v.Type()))
		}
		part.Before.SetOperands(yields...)
	}

	types := transform.Filter(mlir.TypesOf(op.ResultValues()), known)
	numKnown := len(types)
	kept, held := make([][]mlir.Value, n), make([][]mlir.Value, n) // the residuals of each region
	for i, r := range op.Regions() {
		copyConstants(r.First(), regions[i].First())
		kept[i] = residuals(r.First(), regions[i].First())
		held[i] = hold(regions[i].First(), kept[i])
		types = append(types, mlir.TypesOf(kept[i])...)
	}
	for i, r := range op.Regions() {
		yields := r.First().Terminator().OperandValues()
		for j, list := range kept {
			for _, v := range list {
				if i != j {
					v = b.source.Zero(v.Type())
				}
				yields = append(yields, v)
			}
		}
		r.First().Terminator().SetOperands(yields...)
	}
	made := b.Remake(op, op.OperandValues(), types)
	transform.Replace(transform.Filter(op.ResultValues(), known), made.ResultValues())
	transform.Check(op.Erase())
	at := numKnown
	for i, list := range held {
		release(regions[i].First(), list, made.ResultValues()[at:])
		at += len(list)
	}

	if len(external) == 0 {
		for _, r := range regions {
			transform.Check(r.Erase())
		}
		return
	}
	var transposed mlir.Operation
	if made.Name() == "stablehlo.if" {
		transposed = b.Op(stablehlo.IfOp{Pred: selector, TrueBranch: regions[0], FalseBranch: regions[1]})
	} else {
		transposed = b.Op(stablehlo.CaseOp{Index: selector, Branches: regions})
	}
	for i, v := range external {
		b.add(v, transposed.Result(i))
	}
}

// copyConstants copies the constants of one block that another one uses into it.
func copyConstants(from, to mlir.Block) {
	for _, v := range residuals(from, to) {
		if isConstant(v) {
			replaceIn(to, v, to.Insert(0, v.Owner().Clone()).Result(0))
		}
	}
}
