package vmap

import (
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// loop runs an operation for each element of the batch, in their order.
func (b *batcher) loop(op mlir.Operation) []mlir.Value {
	if b.communicates(op) {
		transform.Fail(op, "it runs for one element after the other, but is between all of them: the devices of an axis must agree on "+
			"the conditions around it")
	}
	of := b.dependencies(op)
	counter := b.tensor(b.Context.IntegerType(32, mlir.Signless))
	carried := []mlir.Value{b.Zero(counter)}
	chained := make([]mlir.Value, op.NumResults()) // the token that a token follows
	for i, v := range op.Results() {
		switch chained[i] = b.before(op, i); {
		case !b.tokens[v]:
			carried = append(carried, b.Zero(b.typeOf(v.Type())))
		case chained[i].IsNil() && !v.Type().IsRankedTensor():
			carried = append(carried, b.Do(stablehlo.AfterAllOp{}))
		case chained[i].IsNil():
			carried = append(carried, b.Zero(v.Type()))
		default:
			carried = append(carried, b.get(chained[i]))
		}
	}
	types := mlir.TypesOf(carried)
	return b.Op(stablehlo.WhileOp{
		Operand: carried,
		Cond: b.region(types, func(v []mlir.Value) []mlir.Value {
			return []mlir.Value{b.Compare(stablehlo.CompareLT, v[0], b.Number(counter, float64(b.size)))}
		}),
		Body: b.region(types, func(v []mlir.Value) []mlir.Value {
			mine := map[mlir.Value]mlir.Value{}
			for _, from := range of {
				mine[from] = b.element(from, v[0])
			}
			for i, token := range chained {
				if !token.IsNil() {
					mine[token] = v[i+1]
				}
			}
			b.sayDevice(op, v[0])
			var made mlir.Operation
			b.with(mine, func() { made = b.copy(op) })
			next := []mlir.Value{b.Binary(stablehlo.Add, v[0], b.Number(counter, 1))}
			for i, result := range made.Results() {
				if !b.tokens[op.Result(i)] {
					result = b.Do(stablehlo.DynamicUpdateSliceOp{
						Operand: v[i+1], Update: b.Reshape(result, first(1, transform.Dims(result))...),
						StartIndices: b.at(v[0], transform.Rank(result)),
					})
				}
				next = append(next, result)
			}
			return next
		}),
	}).ResultValues()[1:]
}

// sayDevice says which device, an element of the batch, makes the calls in an operation.
func (b *batcher) sayDevice(op mlir.Operation, element mlir.Value) {
	if b.axis == nil || !b.axis.each || b.axis.isOutside() || !hasCalls(op) {
		return
	}
	devices := b.Constant(b.tensor(transform.Element(element.Type()), b.size), literal(b.axis.devices[0]))
	number := b.Reshape(b.Do(stablehlo.DynamicSliceOp{
		Operand: devices, StartIndices: []mlir.Value{element}, SliceSizes: []int64{1},
	}))
	b.Op(stablehlo.CustomCallOp{Target: callop.Device, Operands: []mlir.Value{number}, HasSideEffect: true})
}

func hasCalls(op mlir.Operation) bool {
	for inner := range op.All() {
		if inner.Name() == "stablehlo.custom_call" {
			return true
		}
	}
	return false
}

// element returns an element of the batch of a value.
func (b *batcher) element(v, index mlir.Value) mlir.Value {
	return b.Reshape(b.Do(stablehlo.DynamicSliceOp{
		Operand: b.get(v), StartIndices: b.at(index, transform.Rank(v)), SliceSizes: first(1, transform.Dims(v)),
	}), transform.Dims(v)...)
}

// at returns the start indices of an element of a batch of arrays of a rank.
func (b *batcher) at(index mlir.Value, rank int) []mlir.Value {
	list := []mlir.Value{index}
	for range rank {
		list = append(list, b.Zero(index.Type()))
	}
	return list
}

// followed returns the operand that a token of another host's call follows: that which is the same one among the
// tokens. It returns nil if there is none.
func followed(call mlir.Operation, token mlir.Value) mlir.Value {
	n := 0
	for _, v := range call.ResultValues()[:token.Index()] {
		if stablehlo.IsToken(v.Type()) {
			n++
		}
	}
	for _, v := range call.Operands() {
		if stablehlo.IsToken(v.Type()) {
			if n == 0 {
				return v
			}
			n--
		}
	}
	return mlir.Value{}
}

// before returns the token from outside an operation that its result i, a token, follows, or nil.
func (b *batcher) before(op mlir.Operation, i int) mlir.Value {
	v := op.Result(i)
	for b.tokens[v] && v.IsResult() && (v.Owner() == op || op.Encloses(v)) {
		owner := v.Owner()
		switch owner.Name() {
		case "stablehlo.custom_call":
			call, ok := callop.AsCall(owner)
			if !ok {
				v = followed(owner, v)
				break
			}
			n := call.Config.NumTokens
			v = owner.Operand(owner.NumOperands() - n + v.Index() - (owner.NumResults() - n))
		case "stablehlo.while", "stablehlo.optimization_barrier":
			v = owner.Operand(v.Index())
		case "stablehlo.if", "stablehlo.case":
			v = owner.Region(0).First().Terminator().Operand(v.Index())
		default:
			return mlir.Value{}
		}
	}
	if !b.tokens[v] || op.Encloses(v) {
		return mlir.Value{}
	}
	return v
}

// tokensOf returns the tokens of the callbacks of a block, with those that branches, loops and manual computations pass
// on.
func tokensOf(block mlir.Block) map[mlir.Value]bool {
	tokens := map[mlir.Value]bool{}
	var same [][2]mlir.Value // pairs of values of which both or none are tokens
	pair := func(x, y mlir.Value) { same = append(same, [2]mlir.Value{x, y}) }
	mark := func(values []mlir.Value) {
		for _, v := range values {
			if stablehlo.IsToken(v.Type()) {
				tokens[v] = true
			}
		}
	}
	mark(block.ArgumentValues())
	for top := range block.Operations() {
		for op := range top.All() {
			switch op.Name() {
			case "stablehlo.custom_call":
				call, ok := callop.AsCall(op)
				if n := call.Config.NumTokens; ok && n <= min(op.NumOperands(), op.NumResults()) {
					for i := range n {
						tokens[op.Operand(op.NumOperands()-1-i)], tokens[op.Result(op.NumResults()-1-i)] = true, true
					}
				}
			case "stablehlo.while":
				for i, v := range op.Operands() {
					body := op.Region(1).First()
					pair(v, op.Result(i))
					pair(v, op.Region(0).First().Argument(i))
					pair(v, body.Argument(i))
					pair(v, body.Terminator().Operand(i))
				}
			case "stablehlo.if", "stablehlo.case":
				for _, r := range op.Regions() {
					for i, v := range r.First().Terminator().Operands() {
						pair(v, op.Result(i))
					}
				}
			case "stablehlo.optimization_barrier":
				for i, v := range op.Operands() {
					pair(v, op.Result(i))
				}
			case callop.Manual:
				body := op.Region(0).First()
				for i, v := range op.Operands() {
					pair(v, body.Argument(i))
				}
				for i, v := range op.Results() {
					pair(v, body.Terminator().Operand(i))
				}
			}
			mark(op.ResultValues())
			for _, r := range op.Regions() {
				for inner := range r.Blocks() {
					mark(inner.ArgumentValues())
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, p := range same {
			if tokens[p[0]] != tokens[p[1]] {
				tokens[p[0]], tokens[p[1]], changed = true, true, true
			}
		}
	}
	return tokens
}
