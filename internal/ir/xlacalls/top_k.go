package xlacalls

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/chlo"
)

// topK returns the results of a call of XLA's target TopK: the first elements of each row and their indices, in the
// order of its comparator, or without one the largest elements.
func topK(op mlir.Operation, b *mlir.Builder) ([]mlir.Value, error) {
	if op.NumOperands() != 1 || op.NumResults() != 2 || !isStatic(op) {
		return nil, errors.New("it has one operand and two results, the elements and their indices, of known sizes")
	}
	x := op.Operand(0)
	dims, _ := x.Type().Dims()
	sizes, _ := op.Result(0).Type().Dims()
	last := len(dims) - 1
	if last < 0 || len(sizes) != len(dims) {
		return nil, errors.New("its operand and its results have the same number of dimensions, at least one")
	}
	if len(stablehlo.ReadCustomCall(op).CalledComputations) == 0 {
		elements, indices := chlo.TopK(b, x, sizes[last])
		return []mlir.Value{elements, indices}, b.Cause()
	}
	element, _ := op.Result(1).Type().Element()
	t, err := stablehlo.IotaType(element, int64(last), dims...)
	if err != nil {
		return nil, err
	}
	return firstSorted(op, b, []mlir.Value{x, stablehlo.Iota(b, t, int64(last))}, int64(last))
}

// approxTopK returns the results of a call of XLA's target ApproxTopK, to which JAX lowers approx_max_k: the first
// elements along a dimension. The target allows that they are exact.
func approxTopK(op mlir.Operation, b *mlir.Builder) ([]mlir.Value, error) {
	n := op.NumResults() // of as many arrays, after which come the initial values of a reduction
	dimension, known := int64(0), false
	if config, typed := stablehlo.TypedConfig(op); typed && !config.IsNil() {
		if value, ok := config.Entry("reduction_dim"); ok {
			dimension, known = value.Int()
		}
	}
	if !known || n == 0 || op.NumOperands() != 2*n || !isStatic(op) {
		return nil, errors.New("its reduction_dim or its sizes cannot be read: write it as JAX does")
	}
	return firstSorted(op, b, op.OperandValues()[:n], dimension)
}

// firstSorted sorts arrays by the comparator that a call names, and returns as many first elements as it has results.
func firstSorted(op mlir.Operation, b *mlir.Builder, arrays []mlir.Value, dimension int64) ([]mlir.Value, error) {
	called := append(stablehlo.ReadCustomCall(op).CalledComputations, "")
	comparator, err := functionNamed(op, called[0])
	if err != nil {
		return nil, err
	}
	region, copied := op.Context().NewRegion(), comparator.Clone()
	region.TakeBody(copied.Region(0))
	end := region.First().Terminator()
	inside := mlir.NewBuilder(mlir.Before(end), end.Location())
	stablehlo.Return(inside, end.OperandValues()...)
	if err := errors.Join(inside.Err(), end.Erase(), copied.Erase()); err != nil {
		return nil, err
	}
	sorted := stablehlo.SortOp{
		Inputs: arrays, Dimension: &dimension, IsStable: true, Comparator: region,
	}.Create(b)
	if b.Err() != nil {
		return nil, b.Cause()
	}
	results := make([]mlir.Value, len(arrays))
	for i, r := range op.ResultValues() {
		limits, _ := r.Type().Dims()
		results[i] = stablehlo.Slice(b, sorted.Result(i), make([]int64, len(limits)), limits,
			slices.Repeat([]int64{1}, len(limits)))
	}
	return results, b.Cause()
}

// functionNamed returns the function of the module around an operation that has a name.
func functionNamed(op mlir.Operation, name string) (f mlir.Operation, err error) {
	module := op
	for !module.IsNil() && module.Name() != "builtin.module" {
		module = module.Parent()
	}
	if !module.IsNil() {
		table, err := module.SymbolTable()
		if err != nil {
			return f, err
		}
		if f, ok := table.Lookup(name); ok && f.Name() == "func.func" && f.Region(0).NumBlocks() == 1 {
			return f, nil
		}
	}
	return f, fmt.Errorf("its comparator @%s is no function of the module", name)
}

// isStatic reports whether all sizes of an operation's arrays are known.
func isStatic(op mlir.Operation) bool {
	for _, v := range slices.Concat(op.OperandValues(), op.ResultValues()) {
		if _, static := v.Type().NumElements(); !static {
			return false
		}
	}
	return true
}
