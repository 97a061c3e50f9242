package passes

import (
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// An emitter adds operations to a block, before one of its operations or at its end.
type emitter struct {
	c      *mlir.Context
	loc    mlir.Location
	block  mlir.Block
	before mlir.Operation
}

type creator interface {
	Create(ip mlir.InsertionPoint, loc mlir.Location) (mlir.Operation, error)
}

func (e emitter) add(o creator) (mlir.Operation, error) {
	if e.before.IsNil() {
		return o.Create(e.block, e.loc)
	}
	op, err := o.Create(e.c, e.loc)
	if err != nil {
		return op, err
	}
	return e.block.InsertBefore(e.before, op), nil
}

// value adds an operation with one result.
func (e emitter) value(o creator) (mlir.Value, error) {
	op, err := e.add(o)
	if err != nil {
		return mlir.Value{}, err
	}
	return op.Result(0), nil
}

// zeros adds an array of zeros.
func (e emitter) zeros(t mlir.Type) (mlir.Value, error) { return e.filled(t, 0) }

// filled returns an array of integers that are all n. It serves every type for 0.
func (e emitter) filled(t mlir.Type, n byte) (mlir.Value, error) {
	shape, err := stablehlo.ShapeOf(t)
	if err != nil {
		return mlir.Value{}, err
	}
	scalar := tensor.ShapeOf(shape.DType)
	data := make([]byte, scalar.NumBytes())
	data[0] = n // platforms are little-endian
	v, err := e.value(stablehlo.Constant{Value: tensor.View{Shape: scalar, Data: data}})
	if err != nil || shape.Rank() == 0 {
		return v, err
	}
	return e.value(stablehlo.BroadcastInDim{Operand: v, BroadcastDimensions: []int64{}, Result: t})
}

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
func (g *guard) build(operands []mlir.Value) ([]mlir.Value, error) {
	operands = append([]mlir.Value(nil), operands...)
	for i := len(operands) - g.tokens; i < len(operands); i++ {
		synced, err := g.reduce(operands[i], stablehlo.Maximum)
		if err != nil {
			return nil, err
		}
		operands[i] = synced
	}
	var number creator = stablehlo.ReplicaID{}
	if g.partitions > 1 {
		number = stablehlo.PartitionID{}
	}
	id, err := g.e.value(number)
	if err != nil {
		return nil, err
	}
	device, err := g.e.value(stablehlo.Constant{Value: tensor.Scalar(uint32(g.device))})
	if err != nil {
		return nil, err
	}
	here, err := g.e.value(stablehlo.Compare{LHS: id, RHS: device, ComparisonDirection: stablehlo.CompareEQ})
	if err != nil {
		return nil, err
	}
	// carried has, for each result, the values that carry it out of the if.
	carried := make([][]mlir.Type, g.call.NumResults())
	then, err := g.branch(func(e emitter) (values []mlir.Value, err error) {
		call := e.block.Append(g.call.Clone())
		call.SetOperands(operands...)
		call.RemoveAttribute("sdy.sharding") // of the arrays outside
		for i, v := range call.Results() {
			words := []mlir.Value{v}
			if g.isShared(i) {
				if words, err = e.pack(v); err != nil {
					return nil, err
				}
			}
			for _, w := range words {
				carried[i] = append(carried[i], w.Type())
			}
			values = append(values, words...)
		}
		return values, nil
	})
	if err != nil {
		return nil, err
	}
	otherwise, err := g.branch(func(e emitter) (values []mlir.Value, err error) {
		for i, types := range carried {
			for _, t := range types {
				v, err := g.substitute(e, i, t, operands)
				if err != nil {
					return nil, err
				}
				values = append(values, v)
			}
		}
		return values, nil
	})
	if err != nil {
		return nil, err
	}
	made, err := g.e.add(stablehlo.If{Pred: here, TrueBranch: then, FalseBranch: otherwise})
	if err != nil {
		return nil, err
	}
	var results []mlir.Value
	next := 0
	for i, types := range carried {
		words := make([]mlir.Value, len(types))
		for j := range words {
			words[j] = made.Result(next)
			next++
			switch {
			case g.isToken(i):
				words[j], err = g.reduce(words[j], stablehlo.Maximum)
			case g.isShared(i):
				words[j], err = g.broadcast(words[j])
			}
			if err != nil {
				return nil, err
			}
		}
		v := words[0]
		if g.isShared(i) {
			if v, err = g.e.unpack(words, g.call.Result(i).Type()); err != nil {
				return nil, err
			}
		}
		results = append(results, v)
	}
	return results, nil
}

// isToken reports whether a result of the call is a token.
func (g *guard) isToken(i int) bool {
	return g.form == contract.Observe || i >= g.call.NumResults()-g.tokens
}

// branch returns a region with the operations that build adds.
func (g *guard) branch(build func(emitter) ([]mlir.Value, error)) (mlir.Region, error) {
	block := g.c.NewBlock(g.e.loc)
	results, err := build(emitter{c: g.c, loc: g.e.loc, block: block})
	if err != nil {
		return mlir.Region{}, err
	}
	_, err = block.Create(mlir.OperationState{Name: "stablehlo.return", Location: g.e.loc, Operands: results})
	region := g.c.NewRegion()
	region.Append(block)
	return region, err
}

// isShared reports whether all devices get a result of the calling one.
func (g *guard) isShared(i int) bool {
	return !g.isToken(i) && (g.share || g.form != contract.Passthrough)
}

// substitute returns what a device that does not call has instead of a value, of type t, of result i.
func (g *guard) substitute(e emitter, i int, t mlir.Type, operands []mlir.Value) (mlir.Value, error) {
	fromEnd := g.call.NumResults() - i
	switch {
	case g.isToken(i) && g.tokens >= fromEnd:
		return operands[len(operands)-fromEnd], nil
	case !g.isToken(i) && !g.isShared(i):
		call, _ := stablehlo.AsCustomCall(g.call)
		for _, alias := range call.Aliases {
			if len(alias.OutputTupleIndices) == 0 || alias.OutputTupleIndices[0] == int64(i) {
				return operands[alias.OperandIndex], nil
			}
		}
		return operands[i], nil
	}
	return e.zeros(t)
}

// broadcast gives the words of the calling device to all of them. Those of the others are zero.
func (g *guard) broadcast(words mlir.Value) (mlir.Value, error) {
	shape, err := stablehlo.ShapeOf(words.Type())
	if err == nil && shape.DType == tensor.Pred {
		return g.reduce(words, stablehlo.Or)
	}
	return g.reduce(words, stablehlo.Add)
}

// pack returns the bits of an array as integers or booleans, because a sum of floating point
// numbers with zeros changes a -0 and some NaNs.
func (e emitter) pack(v mlir.Value) ([]mlir.Value, error) {
	shape, err := stablehlo.ShapeOf(v.Type())
	if err != nil {
		return nil, err
	}
	switch words := wordsOf[shape.DType]; {
	case shape.DType == tensor.C64 || shape.DType == tensor.C128:
		var parts []mlir.Value
		for _, op := range []creator{stablehlo.Real{Operand: v}, stablehlo.Imag{Operand: v}} {
			part, err := e.value(op)
			if err != nil {
				return nil, err
			}
			packed, err := e.pack(part)
			if err != nil {
				return nil, err
			}
			parts = append(parts, packed...)
		}
		return parts, nil
	case words != tensor.Invalid:
		if v, err = e.bitcast(v, shape, words); err != nil {
			return nil, err
		}
	}
	return []mlir.Value{v}, nil
}

// unpack returns the array of type t that pack has taken apart.
func (e emitter) unpack(words []mlir.Value, t mlir.Type) (mlir.Value, error) {
	shape, err := stablehlo.ShapeOf(t)
	if err != nil {
		return mlir.Value{}, err
	}
	part := tensor.F32
	switch d := shape.DType; {
	case d == tensor.C128:
		part = tensor.F64
		fallthrough
	case d == tensor.C64:
		re, err := e.bitcast(words[0], shape, part)
		if err != nil {
			return re, err
		}
		im, err := e.bitcast(words[1], shape, part)
		if err != nil {
			return im, err
		}
		return e.value(stablehlo.Complex{LHS: re, RHS: im})
	case wordsOf[d] != tensor.Invalid:
		return e.bitcast(words[0], shape, d)
	}
	return words[0], nil
}

// bitcast returns the array with elements of another type of the same width.
func (e emitter) bitcast(v mlir.Value, shape tensor.Shape, to tensor.DType) (mlir.Value, error) {
	shape.DType = to
	t, err := stablehlo.TensorType(e.c, shape)
	if err != nil {
		return v, err
	}
	return e.value(stablehlo.BitcastConvert{Operand: v, Result: t})
}

// wordsOf holds, for each floating point type, the integers of its width.
var wordsOf = map[tensor.DType]tensor.DType{
	tensor.F64: tensor.U64, tensor.F32: tensor.U32, tensor.F16: tensor.U16, tensor.BF16: tensor.U16,
	tensor.F8E5M2: tensor.U8, tensor.F8E4M3: tensor.U8, tensor.F8E4M3FN: tensor.U8, tensor.F8E4M3B11FNUZ: tensor.U8,
	tensor.F8E5M2FNUZ: tensor.U8, tensor.F8E4M3FNUZ: tensor.U8, tensor.F8E3M4: tensor.U8, tensor.F8E8M0FNU: tensor.U8,
	tensor.F4E2M1FN: tensor.U4,
}

// reduce combines the values of all devices.
func (g *guard) reduce(v mlir.Value, with stablehlo.BinaryOp) (mlir.Value, error) {
	shape, err := stablehlo.ShapeOf(v.Type())
	if err != nil {
		return v, err
	}
	element, err := stablehlo.TensorType(g.c, tensor.ShapeOf(shape.DType))
	if err != nil {
		return v, err
	}
	block := g.c.NewBlock(g.e.loc, element, element)
	sum, err := stablehlo.Binary{Op: with, LHS: block.Argument(0), RHS: block.Argument(1)}.Create(block, g.e.loc)
	if err != nil {
		return v, err
	}
	if _, err := block.Create(mlir.OperationState{Name: "stablehlo.return", Location: g.e.loc, Operands: []mlir.Value{sum.Result(0)}}); err != nil {
		return v, err
	}
	region := g.c.NewRegion()
	region.Append(block)
	o := stablehlo.AllReduce{Operands: []mlir.Value{v}, Computation: region}
	if g.partitions > 1 {
		all := make([]int64, g.partitions)
		for i := range all {
			all[i] = int64(i)
		}
		g.channel++
		o.ReplicaGroups, o.UseGlobalDeviceIDs = [][]int64{all}, true
		o.ChannelHandle = &stablehlo.ChannelHandle{Handle: g.channel, Type: 1}
	}
	return g.e.value(o)
}
