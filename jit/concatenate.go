package jit

import (
	"slices"

	"github.com/calliope-mlir/calliope/jit/internal/lower"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/bufferization"
	"github.com/calliope-mlir/calliope/mlir/dialect/tensor"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// mostJoined is how many tensors are copied into one. Bufferization takes a time that grows with the cube of it.
const mostJoined = 32

// concatenate makes copies of concatenations. StableHLO's lowering chooses the operand for each element. Many operands
// are first joined in groups.
func concatenate(m *mlir.Module, _ *Executable) error {
	for op := range m.Operation().Index().Named("stablehlo.concatenate") {
		o, ok := stablehlo.AsConcatenate(op)
		if !ok {
			continue
		}
		b := mlir.NewBuilder(mlir.Before(op), op.Location())
		to := op.Result(0).Type()
		plain, _ := bufferOf(b, to)
		var parts []mlir.Value
		for _, v := range o.Inputs {
			if from, _ := bufferOf(b, v.Type()); !isEmpty(v.Type()) {
				parts = append(parts, cast(b, v, from))
			}
		}
		for len(parts) > mostJoined && b.Err() == nil {
			var groups []mlir.Value
			for list := range slices.Chunk(parts, mostJoined) {
				// The pass eliminate-empty-tensors leaves these alone, so that they are not parts of the whole.
				place := bufferization.AllocTensorOp{ResultType: joinedType(b, list, o.Dimension)}.Create(b).Result(0)
				groups = append(groups, join(b, list, place, o.Dimension))
			}
			parts = groups
		}
		whole := join(b, parts, tensor.Empty(b, plain), o.Dimension)
		if b.Err() != nil {
			return lower.Refuse(op, lower.Reason(b.Err()))
		}
		op.Result(0).ReplaceAllUses(cast(b, whole, to))
		if err := op.Erase(); err != nil {
			return err
		}
	}
	return nil
}

// join copies tensors into another one, one after the other in a dimension.
func join(b *mlir.Builder, list []mlir.Value, whole mlir.Value, dimension int64) mlir.Value {
	sizes, _ := whole.Type().Dims()
	at := make([]int64, len(sizes))
	for _, v := range list {
		if b.Err() != nil {
			return whole
		}
		dims, _ := v.Type().Dims()
		whole = tensor.InsertSlice(b, v, whole, mlir.FixedSizes(at...), mlir.FixedSizes(dims...), nil)
		at[dimension] += dims[dimension]
	}
	return whole
}

// joinedType returns the type of tensors one after the other in a dimension.
func joinedType(b *mlir.Builder, list []mlir.Value, dimension int64) mlir.Type {
	dims, _ := list[0].Type().Dims()
	for _, v := range list[1:] {
		more, _ := v.Type().Dims()
		dims[dimension] += more[dimension]
	}
	element, _ := list[0].Type().Element()
	t, err := b.Context().TensorType(element, dims...)
	b.Fail(err)
	return t
}
