package lower

import (
	"math"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// lowerDynamicSlice makes a slice of a scalar the scalar, on which MLIR's pass crashes.
func lowerDynamicSlice(e *emitter) error {
	if isScalar(e.op.Operand(0).Type()) {
		return e.replace(e.operands()[:1])
	}
	return e.signIndices(1)
}

// lowerDynamicUpdateSlice makes an update of a scalar the update. In other ones, it copies the operand if it is used
// later.
func lowerDynamicUpdateSlice(e *emitter) error {
	if isScalar(e.op.Operand(0).Type()) {
		return e.replace(e.operands()[1:2])
	}
	if v := e.op.Operand(0); e.copies || !v.IsArgument() && usedLater(v, e.op, 0) {
		e.op.SetOperand(0, e.cast(e.owned(0), v.Type()))
	}
	return e.signIndices(2)
}

// lowerGather moves the dimension of the start indices that holds one behind those of a batch. MLIR's pass does not
// count it where it is before them.
func lowerGather(e *emitter) error {
	op, ok := stablehlo.AsGather(e.op)
	if !ok {
		return errMalformed
	}
	n := &op.DimensionNumbers
	at, last := n.IndexVectorDim, int64(len(dims(op.StartIndices)))-1
	if at >= last || len(n.StartIndicesBatchingDims) == 0 {
		return e.signIndices(1)
	}
	var order []int64
	for d := range last + 1 {
		if d != at {
			order = append(order, d)
		}
	}
	op.StartIndices = stablehlo.Transpose(e.Builder, e.signed(op.StartIndices), append(order, at))
	n.IndexVectorDim = last
	for i, d := range n.StartIndicesBatchingDims {
		if d > at {
			n.StartIndicesBatchingDims[i]--
		}
	}
	op.ResultType = e.op.Result(0).Type()
	made := op.Create(e.Builder)
	if e.Err() != nil {
		return e.Err()
	}
	e.op.Result(0).ReplaceAllUses(made.Result(0))
	return e.op.Erase()
}

// signIndices makes the operands from the i-th one on signed. MLIR's pass takes the highest bit of any index as a sign.
func (e *emitter) signIndices(i int) error {
	for ; i < e.op.NumOperands(); i++ {
		if v := e.signed(e.op.Operand(i)); e.Err() == nil {
			e.op.SetOperand(i, v)
		}
	}
	return e.Err()
}

// signed returns unsigned integers as i64. Those above are the largest one, which as an index is out of range, too.
func (e *emitter) signed(v mlir.Value) mlir.Value {
	bits, sign, _ := e.elementOf(v).IntegerWidth()
	if e.Err() != nil || sign != mlir.Unsigned {
		return v
	}
	b := e.Builder
	if bits == 64 {
		elem := e.elementOf(v)
		most := e.cast(e.scalar(64, math.MaxInt64), e.tensorOf(elem))
		v = stablehlo.Minimum(b, v, stablehlo.BroadcastInDim(b, v.Type(), most, nil))
	}
	return stablehlo.Convert(b, e.tensorOf(e.integer(64), dims(v)...), v)
}
