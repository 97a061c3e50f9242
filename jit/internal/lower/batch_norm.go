package lower

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A batch has what the operations on a batch of features share.
type batch struct {
	*emitter
	x       mlir.Value
	feature int64
	epsilon float64
}

// spread returns a value for each feature as one for each element.
func (n *batch) spread(v mlir.Value) mlir.Value {
	return stablehlo.BroadcastInDim(n.Builder, n.x.Type(), v, []int64{n.feature})
}

// sum returns the sum of each feature.
func (n *batch) sum(v mlir.Value) mlir.Value {
	var others []int64
	for d := range dims(n.x) {
		if int64(d) != n.feature {
			others = append(others, int64(d))
		}
	}
	if len(others) == 0 {
		return v
	}
	scalar := n.tensorOf(n.elementOf(n.x))
	if n.count() == 0 { // MLIR's pass has no sum of nothing
		return n.filled(n.tensorOf(n.elementOf(n.x), dims(n.x)[n.feature]), 0)
	}
	body := n.Region(func(in []mlir.Value) {
		stablehlo.Return(n.Builder, stablehlo.Add(n.Builder, in[0], in[1]))
	}, scalar, scalar)
	zero := n.filled(scalar, 0)
	return stablehlo.ReduceOp{Inputs: []mlir.Value{v}, InitValues: []mlir.Value{zero}, Dimensions: others,
		Body: body}.Create(n.Builder).Result(0)
}

// mean returns the mean of each feature.
func (n *batch) mean(v mlir.Value) mlir.Value {
	sum := n.sum(v)
	return stablehlo.Divide(n.Builder, sum, n.like(sum, float64(n.count())))
}

// count returns how many elements a feature has.
func (n *batch) count() int64 {
	sizes := slices.Clone(dims(n.x))
	sizes[n.feature] = 1
	return product(sizes)
}

// deviation returns the standard deviation of each feature, with epsilon.
func (n *batch) deviation(variance mlir.Value) mlir.Value {
	return stablehlo.Sqrt(n.Builder, stablehlo.Add(n.Builder, variance, n.like(variance, n.epsilon)))
}

// normalize returns (x - mean) / deviation · scale + offset.
func (n *batch) normalize(scale, offset, mean, variance mlir.Value) mlir.Value {
	b := n.Builder
	centered := stablehlo.Subtract(b, n.x, n.spread(mean))
	scaled := stablehlo.Multiply(b, n.spread(scale), stablehlo.Divide(b, centered, n.spread(n.deviation(variance))))
	return stablehlo.Add(b, scaled, n.spread(offset))
}

func lowerBatchNormInference(e *emitter) error {
	op, ok := stablehlo.AsBatchNormInference(e.op)
	if !ok {
		return errMalformed
	}
	n := batch{e, op.Operand, op.FeatureIndex, float64(op.Epsilon)}
	return e.replace([]mlir.Value{n.normalize(op.Scale, op.Offset, op.Mean, op.Variance)})
}

func lowerBatchNormTraining(e *emitter) error {
	op, ok := stablehlo.AsBatchNormTraining(e.op)
	if !ok {
		return errMalformed
	}
	n := batch{e, op.Operand, op.FeatureIndex, float64(op.Epsilon)}
	mean := n.mean(op.Operand)
	centered := stablehlo.Subtract(e.Builder, op.Operand, n.spread(mean))
	variance := n.mean(stablehlo.Multiply(e.Builder, centered, centered))
	return e.replace([]mlir.Value{n.normalize(op.Scale, op.Offset, mean, variance), mean, variance})
}

func lowerBatchNormGrad(e *emitter) error {
	op, ok := stablehlo.AsBatchNormGrad(e.op)
	if !ok {
		return errMalformed
	}
	b, n := e.Builder, batch{e, op.Operand, op.FeatureIndex, float64(op.Epsilon)}
	deviation := n.deviation(op.Variance)
	centered := stablehlo.Subtract(b, op.Operand, n.spread(op.Mean))
	normal := stablehlo.Divide(b, centered, n.spread(deviation))
	offset := n.sum(op.GradOutput)
	scale := n.sum(stablehlo.Multiply(b, op.GradOutput, normal))
	count := n.like(op.Operand, float64(n.count()))
	rest := stablehlo.Subtract(b, stablehlo.Multiply(b, count, op.GradOutput), n.spread(offset))
	rest = stablehlo.Subtract(b, rest, stablehlo.Multiply(b, normal, n.spread(scale)))
	factor := stablehlo.Divide(b, n.spread(stablehlo.Divide(b, op.Scale, deviation)), count)
	return e.replace([]mlir.Value{stablehlo.Multiply(b, factor, rest), scale, offset})
}
