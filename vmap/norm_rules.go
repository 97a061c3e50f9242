package vmap

import (
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// normalizations has the operations of batch normalization. The batch becomes a part of the features, each of
// which has its own statistics.
var normalizations = map[string]rule{
	"stablehlo.batch_norm_inference": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsBatchNormInference(op)
		return b.normalize(op, o.FeatureIndex)
	},
	"stablehlo.batch_norm_training": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsBatchNormTraining(op)
		return b.normalize(op, o.FeatureIndex)
	},
	"stablehlo.batch_norm_grad": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsBatchNormGrad(op)
		return b.normalize(op, o.FeatureIndex)
	},
}

func (b *batcher) normalize(op mlir.Operation, feature int64) []mlir.Value {
	dimension := func(v mlir.Value) int64 {
		if transform.Rank(v) == 1 { // a number for each feature
			return 0
		}
		return feature
	}
	operands := op.OperandValues()
	for i, v := range operands {
		operands[i] = b.fold(b.full(v), dimension(v), 1)
	}
	made := b.Clone(op, operands...)
	results := made.ResultValues()
	for i, v := range op.Results() {
		d := dimension(v)
		shape := append([]int64{}, transform.Dims(v)...)
		shape[d] *= b.size
		results[i].SetType(b.tensor(transform.Element(v.Type()), shape...))
		results[i] = b.unfold(results[i], d, 1)
	}
	return results
}
