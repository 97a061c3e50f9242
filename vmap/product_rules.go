package vmap

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// products has the products of matrices, triangular systems, and convolutions.
var products = map[string]rule{
	"stablehlo.dot_general": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsDotGeneral(op)
		return b.dot(o)
	},
	"stablehlo.dot": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsDot(op)
		return b.dot(stablehlo.DotGeneralOp{
			LHS: o.LHS, RHS: o.RHS, PrecisionConfig: o.PrecisionConfig, ResultType: op.Result(0).Type(),
			DotDimensionNumbers: stablehlo.DotDimensionNumbers{
				LHSContractingDimensions: []int64{int64(transform.Rank(o.LHS) - 1)},
				RHSContractingDimensions: []int64{0},
			},
		})
	},
	"stablehlo.einsum":       einsum,
	"stablehlo.unary_einsum": einsum,
	"stablehlo.convolution":  convolution,
	"stablehlo.triangular_solve": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsTriangularSolve(op)
		if b.batched(o.A) {
			return alike(b, op)
		}
		return b.solve(op, o.LeftSide)
	},
}

// dot makes the dimension of the batch a batching dimension if both operands have it, and otherwise one of
// those that are not contracted.
func (b *batcher) dot(o stablehlo.DotGeneralOp) []mlir.Value {
	d := &o.DotDimensionNumbers
	ofLHS, ofRHS := b.batched(o.LHS), b.batched(o.RHS)
	n := len(d.LHSBatchingDimensions)
	freeLHS := transform.Rank(o.LHS) - n - len(d.LHSContractingDimensions)
	freeRHS := transform.Rank(o.RHS) - n - len(d.RHSContractingDimensions)
	o.LHS, o.RHS = b.get(o.LHS), b.get(o.RHS)
	if ofLHS {
		d.LHSBatchingDimensions = after(d.LHSBatchingDimensions)
		d.LHSContractingDimensions = after(d.LHSContractingDimensions)
	}
	if ofRHS {
		d.RHSBatchingDimensions = after(d.RHSBatchingDimensions)
		d.RHSContractingDimensions = after(d.RHSContractingDimensions)
	}
	shape := dimsOf(o.ResultType)
	at := n // where the result has the batch
	switch {
	case ofLHS && ofRHS:
		d.LHSBatchingDimensions = first(0, d.LHSBatchingDimensions)
		d.RHSBatchingDimensions = first(0, d.RHSBatchingDimensions)
		at = 0
	case ofRHS && (freeLHS == 0 || freeRHS == 0) && o.Algorithm == nil:
		// The other way round, the batch needs no transposition.
		o.LHS, o.RHS = o.RHS, o.LHS
		slices.Reverse(o.PrecisionConfig)
		*d = stablehlo.DotDimensionNumbers{
			LHSBatchingDimensions: d.RHSBatchingDimensions, RHSBatchingDimensions: d.LHSBatchingDimensions,
			LHSContractingDimensions: d.RHSContractingDimensions, RHSContractingDimensions: d.LHSContractingDimensions,
		}
	case ofRHS:
		at += freeLHS
	}
	o.ResultType = b.tensor(transform.Element(o.ResultType), slices.Insert(slices.Clone(shape), at, b.size)...)
	return []mlir.Value{b.move(b.Do(o), at, 0)}
}

func dimsOf(t mlir.Type) []int64 {
	shape, _ := t.Dims()
	return shape
}

// solve makes the right sides of a batch of systems with one matrix, which is at the left or the right, more columns or
// rows of one right side.
func (b *batcher) solve(op mlir.Operation, left bool) []mlir.Value {
	into := int64(transform.Rank(op.Operand(1)) - 2)
	if left {
		into++
	}
	made := b.Clone(op, b.get(op.Operand(0)), b.fold(b.get(op.Operand(1)), into, 1))
	made.Result(0).SetType(made.Operand(1).Type())
	return []mlir.Value{b.unfold(made.Result(0), into, 1)}
}

// einsum adds a letter for the dimension of the batch.
func einsum(b *batcher, op mlir.Operation) []mlir.Value {
	a, _ := op.Attribute("einsum_config")
	text, _ := a.Text()
	letter := ""
	for r := 'a'; letter == ""; r++ {
		if !strings.ContainsRune(text, r) {
			letter = string(r)
		}
	}
	from, to, _ := strings.Cut(text, "->")
	parts := strings.Split(from, ",")
	operands := op.OperandValues()
	for i, v := range operands {
		if operands[i] = b.get(v); b.batched(v) {
			parts[i] = letter + parts[i]
		}
	}
	text = strings.Join(parts, ",") + "->" + letter + to
	return b.apply(op, operands, mlir.NamedAttribute{Name: "einsum_config", Value: b.Context.StringAttribute(text)})
}

// convolution has no batching dimensions of its own. The batch becomes groups if both operands have it,
// and otherwise a part of the input's batch or of the output's features.
func convolution(b *batcher, op mlir.Operation) []mlir.Value {
	o, _ := stablehlo.AsConvolution(op)
	d := o.DimensionNumbers
	ofLHS, ofRHS := b.batched(o.LHS), b.batched(o.RHS)
	o.LHS, o.RHS = b.get(o.LHS), b.get(o.RHS)
	into, groups := d.OutputFeatureDimension, int64(1) // where the result has the batch
	switch {
	case ofLHS && ofRHS:
		if o.BatchGroupCount > 1 {
			o.LHS = b.fold(o.LHS, d.InputBatchDimension, 1)
			o.BatchGroupCount *= b.size
		} else {
			o.LHS = b.fold(o.LHS, d.InputFeatureDimension, 1)
			o.FeatureGroupCount *= b.size
		}
		o.RHS = b.fold(o.RHS, d.KernelOutputFeatureDimension, 1)
	case ofLHS:
		o.LHS = b.fold(o.LHS, d.InputBatchDimension, o.BatchGroupCount)
		into = d.OutputBatchDimension
	default:
		groups = max(o.BatchGroupCount, o.FeatureGroupCount)
		o.RHS = b.fold(o.RHS, d.KernelOutputFeatureDimension, groups)
	}
	shape := slices.Clone(transform.Dims(op.Result(0)))
	shape[into] *= b.size
	o.ResultType = b.tensor(transform.Element(op.Result(0).Type()), shape...)
	return []mlir.Value{b.unfold(b.Do(o), into, groups)}
}
