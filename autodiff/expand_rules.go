package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// expanded has the operations whose derivative is that of others that compute the same.
var expanded = map[string]rule{
	"stablehlo.dot":       {expand: expandDot},
	"stablehlo.broadcast": {expand: expandBroadcast},
	"stablehlo.map": {expand: func(f *forward, op mlir.Operation) []mlir.Value {
		return f.combineAll(op, op.Region(0).First(), op.OperandValues())
	}},
	"stablehlo.batch_norm_inference": {expand: expandNormInference},
	"stablehlo.batch_norm_training":  {expand: expandNormTraining},
	"stablehlo.batch_norm_grad":      {expand: expandNormGrad},
}

func expandDot(f *forward, op mlir.Operation) []mlir.Value {
	o, _ := stablehlo.AsDot(op)
	return []mlir.Value{f.Do(stablehlo.DotGeneralOp{
		LHS: o.LHS, RHS: o.RHS, PrecisionConfig: o.PrecisionConfig, ResultType: op.Result(0).Type(),
		DotDimensionNumbers: stablehlo.DotDimensionNumbers{
			LHSContractingDimensions: []int64{int64(transform.Rank(o.LHS) - 1)}, RHSContractingDimensions: []int64{0},
		},
	})}
}

func expandBroadcast(f *forward, op mlir.Operation) []mlir.Value {
	o, _ := stablehlo.AsBroadcast(op)
	to := transform.UpTo(transform.Rank(o.Operand))
	for i := range to {
		to[i] += int64(len(o.BroadcastSizes))
	}
	return []mlir.Value{f.Broadcast(o.Operand, to, transform.Dims(op.Result(0))...)}
}

// broadcasting has the operations of CHLO that broadcast their operands.
var broadcasting = broadcastingRules()

func broadcastingRules() map[string]rule {
	list := map[string]rule{}
	for _, name := range []string{
		"add", "atan2", "complex", "divide", "maximum", "minimum", "multiply", "next_after", "polygamma", "power",
		"remainder", "select", "subtract", "zeta",
	} {
		dialect := "stablehlo."
		if slices.Contains([]string{"next_after", "polygamma", "zeta"}, name) {
			dialect = "chlo."
		}
		list["chlo.broadcast_"+name] = rule{expand: func(f *forward, op mlir.Operation) []mlir.Value {
			return f.broadcastOperands(op, dialect+name)
		}}
	}
	return list
}

// broadcastOperands creates an operation for operands of the shape of the result. Those of a lower rank have the
// dimensions of broadcast_dimensions, or the last ones.
func (e *emitter) broadcastOperands(op mlir.Operation, name string) []mlir.Value {
	shape := transform.Dims(op.Result(0))
	s := mlir.OperationState{Name: name, Location: e.Loc, Results: mlir.TypesOf(op.ResultValues())}
	given, hasGiven := op.Attribute("broadcast_dimensions")
	for _, v := range op.Operands() {
		to := transform.UpTo(transform.Rank(v))
		for i := range to {
			to[i] += int64(len(shape) - len(to))
		}
		if hasGiven && len(to) < len(shape) {
			to, _ = given.Int64s()
		}
		s.Operands = append(s.Operands, e.Broadcast(v, to, shape...))
	}
	return transform.Must(mlir.Create(mlir.Before(e.Before), s)).ResultValues()
}

// norm computes batch normalization along the dimensions other than that of the features.
type norm struct {
	*emitter
	shape   []int64
	feature int64
	epsilon float64
}

func (e *emitter) norm(x mlir.Value, feature int64, epsilon float32) norm {
	return norm{e, transform.Dims(x), feature, float64(epsilon)}
}

// spread copies one value for each feature to all of its elements.
func (n norm) spread(v mlir.Value) mlir.Value {
	return n.Broadcast(v, []int64{n.feature}, n.shape...)
}

// mean returns the mean of each feature.
func (n norm) mean(x mlir.Value) mlir.Value {
	count := 1.
	for i, size := range n.shape {
		if int64(i) != n.feature {
			count *= float64(size)
		}
	}
	sum := n.sum(x, transform.Without(len(n.shape), n.feature)...)
	return n.div(sum, n.like(sum, count))
}

// inverse returns 1/√(variance + epsilon).
func (n norm) inverse(variance mlir.Value) mlir.Value {
	return n.Unary(stablehlo.Rsqrt, n.add(variance, n.like(variance, n.epsilon)))
}

// apply returns (x - mean)·scale/√(variance + epsilon) + offset.
func (n norm) apply(x, scale, offset, mean, variance mlir.Value) mlir.Value {
	centered := n.sub(x, n.spread(mean))
	return n.add(n.mul(centered, n.spread(n.mul(scale, n.inverse(variance)))), n.spread(offset))
}

// moments returns the mean and the variance of each feature.
func (n norm) moments(x mlir.Value) (mean, variance mlir.Value) {
	mean = n.mean(x)
	return mean, n.mean(n.square(n.sub(x, n.spread(mean))))
}

func expandNormInference(f *forward, op mlir.Operation) []mlir.Value {
	o, _ := stablehlo.AsBatchNormInference(op)
	n := f.norm(o.Operand, o.FeatureIndex, o.Epsilon)
	return []mlir.Value{n.apply(o.Operand, o.Scale, o.Offset, o.Mean, o.Variance)}
}

func expandNormTraining(f *forward, op mlir.Operation) []mlir.Value {
	o, _ := stablehlo.AsBatchNormTraining(op)
	n := f.norm(o.Operand, o.FeatureIndex, o.Epsilon)
	mean, variance := n.moments(o.Operand)
	return []mlir.Value{n.apply(o.Operand, o.Scale, o.Offset, mean, variance), mean, variance}
}

func expandNormGrad(f *forward, op mlir.Operation) []mlir.Value {
	o, _ := stablehlo.AsBatchNormGrad(op)
	n := f.norm(o.Operand, o.FeatureIndex, o.Epsilon)
	centered, inverse, g := n.sub(o.Operand, n.spread(o.Mean)), n.inverse(o.Variance), o.GradOutput
	over := transform.Without(len(n.shape), n.feature)
	ofOffset := n.sum(g, over...)
	ofScale := n.mul(n.sum(n.mul(g, centered), over...), inverse)
	slope := n.mean(n.mul(g, centered))
	rest := n.sub(n.sub(g, n.spread(n.mean(g))), n.mul(centered, n.spread(n.mul(slope, n.square(inverse)))))
	return []mlir.Value{n.mul(rest, n.spread(n.mul(o.Scale, inverse))), ofScale, ofOffset}
}
