package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// backward creates the derivative of operations along cotangents, before emitter.before, which may be in another block
// than the operations.
type backward struct {
	*emitter
	source     *emitter                        // of the function that is transposed
	linear     reach                           // the values that may have a cotangent
	cotangents map[mlir.Value]mlir.Value       // those that are not zero
	reached    []located                       // the values with a cotangent, in the order in which they got it
	together   map[mlir.Operation][]mlir.Value // results that have their derivative with that of another operation
	*settings
}

// located is a value with the block that it is defined in, which the value cannot tell any more once its
// operation is erased.
type located struct {
	value mlir.Value
	home  mlir.Block
}

// within returns a backward that creates operations before another one, with cotangents of its own.
func (b *backward) within(before mlir.Operation) *backward {
	return &backward{
		emitter: &emitter{b.emitter.Within(before)}, source: b.source, linear: b.linear,
		cotangents: map[mlir.Value]mlir.Value{}, settings: b.settings,
	}
}

// add adds to the cotangent of a value that is linear.
func (b *backward) add(v, cotangent mlir.Value) {
	if !b.linear[v] || cotangent.IsNil() {
		return
	}
	if b.cotangents[v].IsNil() {
		b.reached = append(b.reached, located{v, transform.Home(v)})
	}
	b.cotangents[v] = b.emitter.add(b.cotangents[v], cotangent)
}

// cotangent returns the cotangent of the first result of an operation.
func (b *backward) cotangent(op mlir.Operation) mlir.Value { return b.cotangents[op.Result(0)] }

// outside returns the values with a cotangent that are not defined in a block.
func (b *backward) outside(in mlir.Block) (list []mlir.Value) {
	for _, v := range b.reached {
		if v.home != in {
			list = append(list, v.value)
		}
	}
	return list
}

// derive creates the derivative of the operations of a block, from the last to the first.
func (b *backward) derive(in mlir.Block) {
	b.together = map[mlir.Operation][]mlir.Value{}
	hasCotangent := func(v mlir.Value) bool { return !b.cotangents[v].IsNil() }
	for _, op := range slices.Backward(transform.Operations(in)) {
		if !slices.ContainsFunc(append(op.ResultValues(), b.together[op]...), hasCotangent) {
			continue
		}
		b.Loc = op.Location()
		switch r := known(op); {
		case r.vjp != nil:
			r.vjp(b, op)
		case r.multilinear:
			r.transpose(b, op)
		default:
			if first, ok := decomposition(op); ok {
				b.together[first] = append(b.together[first], op.Result(0))
			} else {
				b.linearize(op)
			}
		}
	}
}

// linearize creates the derivative of an operation by its derivative along tangents, which it transposes. The tangents
// of operands are arguments of the block while that exists.
func (b *backward) linearize(op mlir.Operation) {
	in, next := op.Block(), op.Next()
	f := &forward{&emitter{b.source.Within(next)}, map[mlir.Value]mlir.Value{}, b.settings}
	f.Loc = op.Location()
	var start, holder mlir.Operation // before what belongs to the operation, and what keeps values in use
	f.At(op, func() { start = f.unused() })
	f.At(in.Terminator(), func() {
		holder = f.Op(stablehlo.CustomCallOp{
			Target: "calliope.autodiff.hold", Operands: start.ResultValues(), HasSideEffect: true,
		})
	})
	hold := func(values []mlir.Value) { holder.SetOperands(append(start.ResultValues(), values...)...) }
	held := func() []mlir.Value { return holder.OperandValues()[1:] }
	var operands, inputs []mlir.Value // inputs are their tangents
	for inner := range op.All() {
		for _, v := range inner.Operands() {
			if b.linear[v] && f.tangent(v).IsNil() && !op.Encloses(v) {
				g := in.AddArgument(v.Type(), f.Loc)
				operands, inputs = append(operands, v), append(inputs, g)
				f.set(v, g)
			}
		}
	}

	// The results, and then their tangents, stay in use while the operation may be replaced.
	results := append(op.ResultValues(), b.together[op]...)
	var cotangents []mlir.Value
	for _, v := range results {
		cotangents = append(cotangents, b.cotangents[v])
	}
	hold(results)
	mark := f.marker(op, next)
	ruleFor(op).jvp(f, op)
	mark()
	var tangents, of []mlir.Value
	for i, v := range held() {
		if t := f.tangent(v); !t.IsNil() && !cotangents[i].IsNil() {
			tangents, of = append(tangents, t), append(of, cotangents[i])
		} else if isSecond := v == results[i] && i >= len(results)-len(b.together[op]); isSecond {
			ruleFor(v.Owner()).jvp(f, v.Owner()) // says that it has no derivative
		}
	}
	hold(tangents)
	f.Sweep(between(start, next))
	tangents = held()
	transform.Check(holder.Erase())

	part := *b
	part.linear = reachOf(inputs)
	list := between(start, next)
	for _, op := range list {
		part.linear.operation(op)
	}
	for i, v := range tangents {
		part.add(v, of[i])
	}
	part.transpose(list)
	for i, v := range slices.Backward(operands) {
		b.add(v, b.cotangents[inputs[i]])
		transform.Check(in.EraseArgument(inputs[i].Index()))
	}
	transform.Check(start.Erase())
}

// isHold reports whether an operation only keeps values in use, as that of linearize does.
func isHold(op mlir.Operation) bool {
	return op.Name() == "stablehlo.custom_call" && !transform.IsUsed(op)
}

// between returns the operations between two others of a block.
func between(start, end mlir.Operation) (list []mlir.Operation) {
	for op := start.Next(); op != end; op = op.Next() {
		list = append(list, op)
	}
	return list
}

// block transposes the operations of a block, from the last to the first, and removes them. The terminator must not
// use linear values any more.
func (b *backward) block(in mlir.Block) { b.transpose(transform.Operations(in)) }

// transpose transposes operations that follow each other, and removes them.
func (b *backward) transpose(list []mlir.Operation) {
	for i := len(list) - 1; i >= 0; i-- {
		op := list[i]
		linear, reached := false, false
		for i := range op.NumResults() {
			v := op.Result(i)
			linear = linear || b.linear[v]
			reached = reached || !b.cotangents[v].IsNil()
		}
		if !linear {
			continue
		}
		b.Loc = op.Location()
		if op.Name() == "stablehlo.optimization_barrier" {
			b.splitBarrier(op)
		}
		b.mustBeUnused(op)
		switch transpose := ruleFor(op).transpose; {
		case transform.IsNested(op) && reached:
			transpose(b, op) // and replaces the operation by what is not linear in it
			continue
		case transform.IsNested(op):
			b.Prune(op)
			continue
		case reached && transpose == nil:
			transform.Fail(op, "it cannot be transposed, because it is not linear in an operand with a tangent")
		case reached:
			transpose(b, op)
		}
		for _, v := range op.Results() {
			for u := range v.Uses() {
				transform.Fail(op, "it cannot be transposed, because %s uses a result that is not linear: compute that by an operation of its own", u.Owner.Name())
			}
		}
		transform.Check(op.Erase())
	}
}

// mustBeUnused ends the transformation if an operation that is not transposed uses a linear result.
func (b *backward) mustBeUnused(op mlir.Operation) {
	for _, v := range op.Results() {
		if b.linear[v] {
			for u := range v.Uses() {
				transform.Fail(u.Owner, "it is not linear in what the transposed parameters reach")
			}
		}
	}
}

// splitBarrier replaces the results of a barrier that are not linear by those of another one.
func (b *backward) splitBarrier(op mlir.Operation) {
	var operands, of []mlir.Value
	for i, v := range op.Results() {
		if !b.linear[v] {
			operands, of = append(operands, op.Operand(i)), append(of, v)
		}
	}
	if len(of) > 0 {
		e := &emitter{b.source.Within(op)}
		transform.Replace(of, e.Op(stablehlo.OptimizationBarrierOp{Operand: operands}).ResultValues())
	}
}

// residuals returns the values of one block that the operations of another one use, in the order of
// their first use.
func residuals(from, to mlir.Block) (list []mlir.Value) {
	seen := map[mlir.Value]bool{}
	for op := range to.Operations() {
		for inner := range op.All() {
			for _, v := range inner.Operands() {
				if transform.Home(v) == from && !seen[v] {
					seen[v] = true
					list = append(list, v)
				}
			}
		}
	}
	return list
}

// replaceIn replaces a value in the operations of a block and in their regions.
func replaceIn(in mlir.Block, v, with mlir.Value) {
	v.ReplaceUsesIf(with, func(u mlir.Use) bool {
		for op := u.Owner; !op.IsNil() && !op.Block().IsNil(); op = op.Parent() {
			if op.Block() == in {
				return true
			}
		}
		return false
	})
}

// hold replaces values in a block by arguments that stand for them until it is known what they are.
func hold(in mlir.Block, values []mlir.Value) (held []mlir.Value) {
	for _, v := range values {
		argument := in.AddArgument(v.Type(), in.Terminator().Location())
		replaceIn(in, v, argument)
		held = append(held, argument)
	}
	return held
}

// release replaces arguments that hold added by values, and removes them.
func release(in mlir.Block, held, with []mlir.Value) {
	for i, v := range held {
		v.ReplaceAllUses(with[i])
		transform.Check(in.EraseArgument(v.Index()))
	}
}
