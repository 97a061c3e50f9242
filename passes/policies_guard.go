package passes

import (
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// An emitter adds operations, and keeps the first error.
type emitter struct{ rewrite.Emitter }

// A guard makes one device call what call is a model of:
//
//	results = if device's number == device { call } else { substitutes }
//	results = all_reduce(results)
type guard struct {
	*policyApplier
	e      emitter
	call   mlir.Operation
	form   contract.Form // "" for a foreign call
	tokens int           // of the call, its last operands and results
	device int
	share  bool // all devices have the same arrays, so they also get the results of a passthrough call
}

// build adds the guarded call with other operands. It returns what replaces its results.
func (g *guard) build(operands []mlir.Value) (results []mlir.Value) {
	e := g.e.Builder
	operands = slices.Clone(operands)
	for i := len(operands) - g.tokens; i < len(operands); i++ {
		operands[i] = g.reduce(operands[i], stablehlo.Maximum)
	}
	number := stablehlo.ReplicaID
	if g.partitions > 1 {
		number = stablehlo.PartitionID
	}
	here := stablehlo.Compare(e, number(e), stablehlo.Constant(e, tensor.Scalar(uint32(g.device))), stablehlo.CompareEQ)
	// carried has, for each result, the values that carry it out of the if.
	carried := make([][]mlir.Type, g.call.NumResults())
	then := g.branch(func(block mlir.Block) (values []mlir.Value) {
		call := block.Append(g.call.Clone())
		call.SetOperands(operands...)
		call.RemoveAttribute("sdy.sharding") // of the arrays outside
		for i, v := range call.Results() {
			words := []mlir.Value{v}
			if g.isShared(i) {
				words = g.e.pack(v)
			}
			for _, w := range words {
				carried[i] = append(carried[i], w.Type())
			}
			values = append(values, words...)
		}
		return values
	})
	otherwise := g.branch(func(mlir.Block) (values []mlir.Value) {
		for i, types := range carried {
			for _, t := range types {
				values = append(values, g.substitute(i, t, operands))
			}
		}
		return values
	})
	made := stablehlo.If(e, here, then, otherwise)
	if e.Cause() != nil {
		return nil
	}
	next := 0
	for i, types := range carried {
		words := make([]mlir.Value, len(types))
		for j := range words {
			words[j] = made.Result(next)
			next++
			switch {
			case g.isToken(i):
				words[j] = g.reduce(words[j], stablehlo.Maximum)
			case g.isShared(i):
				words[j] = g.broadcast(words[j])
			}
		}
		v := words[0]
		if g.isShared(i) {
			v = g.e.unpack(words, g.call.Result(i))
		}
		results = append(results, v)
	}
	return results
}

// isToken reports whether a result of the call is a token.
func (g *guard) isToken(i int) bool {
	return g.form == contract.Observe || i >= g.call.NumResults()-g.tokens
}

// branch returns a region with the operations that build adds to its block.
func (g *guard) branch(build func(mlir.Block) []mlir.Value) mlir.Region {
	region, block := g.c.NewRegion(), g.c.NewBlock(g.call.Location())
	region.Append(block)
	g.e.In(block, func() { stablehlo.Return(g.e.Builder, build(block)...) })
	return region
}

// isShared reports whether all devices get a result of the calling one.
func (g *guard) isShared(i int) bool {
	return !g.isToken(i) && (g.share || g.form != contract.Passthrough)
}

// substitute returns what a device that does not call has instead of a value, of type t, of result i.
func (g *guard) substitute(i int, t mlir.Type, operands []mlir.Value) mlir.Value {
	fromEnd := g.call.NumResults() - i
	switch {
	case g.isToken(i) && g.tokens >= fromEnd:
		return operands[len(operands)-fromEnd]
	case !g.isToken(i) && !g.isShared(i):
		call, _ := stablehlo.AsCustomCall(g.call)
		for _, alias := range call.Aliases {
			if len(alias.OutputTupleIndices) == 0 || alias.OutputTupleIndices[0] == int64(i) {
				return operands[alias.OperandIndex]
			}
		}
		return operands[i]
	}
	return g.e.Zeros(t)
}

// broadcast gives the words of the calling device to all of them. Those of the others are zero.
func (g *guard) broadcast(words mlir.Value) mlir.Value {
	if g.e.Shape(words).DType == tensor.Pred {
		return g.reduce(words, stablehlo.Or)
	}
	return g.reduce(words, stablehlo.Add)
}

// pack returns the bits of an array as integers or booleans, because a sum of floating point
// numbers with zeros changes a -0 and some NaNs.
func (e emitter) pack(v mlir.Value) []mlir.Value {
	shape := e.Shape(v)
	switch words := wordsOf[shape.DType]; {
	case shape.DType == tensor.C64 || shape.DType == tensor.C128:
		return append(e.pack(stablehlo.Real(e.Builder, v)), e.pack(stablehlo.Imag(e.Builder, v))...)
	case words != tensor.Invalid:
		v = e.Bitcast(v, shape, words)
	}
	return []mlir.Value{v}
}

// unpack returns the array like another one that pack has taken apart.
func (e emitter) unpack(words []mlir.Value, like mlir.Value) mlir.Value {
	shape, part := e.Shape(like), tensor.F32
	switch d := shape.DType; {
	case d == tensor.C128:
		part = tensor.F64
		fallthrough
	case d == tensor.C64:
		return stablehlo.Complex(e.Builder, e.Bitcast(words[0], shape, part), e.Bitcast(words[1], shape, part))
	case wordsOf[d] != tensor.Invalid:
		return e.Bitcast(words[0], shape, d)
	}
	return words[0]
}

// wordsOf holds, for each floating point type, the integers of its width.
var wordsOf = map[tensor.DType]tensor.DType{
	tensor.F64: tensor.U64, tensor.F32: tensor.U32, tensor.F16: tensor.U16, tensor.BF16: tensor.U16,
	tensor.F8E5M2: tensor.U8, tensor.F8E4M3: tensor.U8, tensor.F8E4M3FN: tensor.U8, tensor.F8E4M3B11FNUZ: tensor.U8,
	tensor.F8E5M2FNUZ: tensor.U8, tensor.F8E4M3FNUZ: tensor.U8, tensor.F8E3M4: tensor.U8, tensor.F8E8M0FNU: tensor.U8,
	tensor.F4E2M1FN: tensor.U4,
}

// reduce combines the values of all devices.
func (g *guard) reduce(v mlir.Value, with func(b *mlir.Builder, x, y mlir.Value) mlir.Value) mlir.Value {
	element := g.e.Array(tensor.ShapeOf(g.e.Shape(v).DType))
	o := stablehlo.AllReduceOp{Operands: []mlir.Value{v}}
	if g.e.Cause() == nil {
		o.Computation = g.e.Region(func(in []mlir.Value) {
			stablehlo.Return(g.e.Builder, with(g.e.Builder, in[0], in[1]))
		}, element, element)
	}
	if g.partitions > 1 {
		all := make([]int64, g.partitions)
		for i := range all {
			all[i] = int64(i)
		}
		g.channel++
		o.ReplicaGroups, o.UseGlobalDeviceIDs = stablehlo.GroupsOf(all), true
		o.ChannelHandle = &stablehlo.ChannelHandle{Handle: g.channel, Type: 1}
	}
	return o.Create(g.e.Builder).Result(0)
}
