package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/einsum"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/chlo"
)

// named has products and gathers that are written in another way than dot_general and gather.
var named = map[string]rule{
	"stablehlo.einsum":             {expand: expandEinsum},
	"stablehlo.unary_einsum":       {expand: expandEinsum},
	"stablehlo.torch_index_select": {expand: expandIndexSelect},
	"chlo.ragged_dot":              {expand: expandRaggedDot},
}

// expandEinsum makes a dot_general, with sums and diagonals around it.
func expandEinsum(f *forward, op mlir.Operation) []mlir.Value {
	v, err := einsum.Expand(mlir.NewBuilder(mlir.Before(f.Before), op.Location()), op)
	if err != nil {
		transform.Fail(op, "%v", err)
	}
	return []mlir.Value{v}
}

func expandIndexSelect(f *forward, op mlir.Operation) []mlir.Value {
	o, _ := stablehlo.AsTorchIndexSelect(op)
	n, m := transform.Rank(o.Operand), transform.Rank(o.Index)
	batch := transform.UpTo(int(o.BatchDims))
	sizes := slices.Clone(transform.Dims(o.Operand))
	sizes[o.Dim] = 1
	for i := range batch {
		sizes[i] = 1
	}
	indexed := transform.UpTo(m - len(batch)) // in the result
	for i := range indexed {
		indexed[i] += o.Dim
	}
	return []mlir.Value{f.Do(stablehlo.GatherOp{
		Operand: o.Operand, StartIndices: o.Index, SliceSizes: sizes,
		DimensionNumbers: stablehlo.GatherDimensionNumbers{
			OffsetDims:         transform.Without(n+m-len(batch)-1, append(slices.Clone(batch), indexed...)...),
			CollapsedSliceDims: []int64{o.Dim}, StartIndexMap: []int64{o.Dim}, IndexVectorDim: int64(m),
			OperandBatchingDims: batch, StartIndicesBatchingDims: batch,
		},
	})}
}

// expandRaggedDot copies lhs for each group, with zeros outside of it.
func expandRaggedDot(f *forward, op mlir.Operation) []mlir.Value {
	o, ok := chlo.AsRaggedDot(op)
	d := o.RaggedDotDimensionNumbers
	if !ok || len(d.LHSRaggedDimensions) != 1 || transform.Rank(o.GroupSizes) != 1 {
		transform.Fail(op, "the derivative of a product with groups is known for group sizes of one dimension")
	}
	ragged := d.LHSRaggedDimensions[0]
	numbers := stablehlo.DotDimensionNumbers{
		LHSBatchingDimensions: d.LHSBatchingDimensions, RHSBatchingDimensions: d.RHSBatchingDimensions,
		LHSContractingDimensions: d.LHSContractingDimensions, RHSContractingDimensions: d.RHSContractingDimensions,
	}
	product := func(x mlir.Value) mlir.Value {
		dot := stablehlo.DotGeneralOp{
			LHS: x, RHS: o.RHS, DotDimensionNumbers: numbers,
			ResultType: transform.Must(stablehlo.DotGeneralType(x.Type(), o.RHS.Type(), numbers,
				transform.Element(op.Result(0).Type()))),
		}
		for _, p := range o.PrecisionConfig {
			dot.PrecisionConfig = append(dot.PrecisionConfig, stablehlo.Precision(p))
		}
		return f.Do(dot)
	}
	if slices.Contains(d.LHSBatchingDimensions, ragged) {
		return []mlir.Value{product(o.LHS)}
	}

	// The groups are the first dimension of the copies. Their sizes may have a type that does not count to their sum.
	groups := transform.Dims(o.GroupSizes)[0]
	sizes := f.Widened(o.GroupSizes)
	ends := f.Do(stablehlo.ReduceWindowOp{
		Inputs: []mlir.Value{sizes}, InitValues: []mlir.Value{f.scalarZero(sizes)},
		WindowDimensions: []int64{groups}, Padding: [][2]int64{{groups - 1, 0}}, Body: f.adder(sizes),
	})
	starts := f.sub(ends, sizes)
	shape := append([]int64{groups}, transform.Dims(o.LHS)...)
	place := f.Iota(transform.Element(sizes.Type()), ragged+1, shape...)
	within := f.Binary(stablehlo.And,
		f.Compare(stablehlo.CompareLE, f.Broadcast(starts, []int64{0}, shape...), place),
		f.Compare(stablehlo.CompareLT, place, f.Broadcast(ends, []int64{0}, shape...)))
	inner := transform.UpTo(transform.Rank(o.LHS))
	for i := range inner {
		inner[i]++
	}
	copies := f.Broadcast(o.LHS, inner, shape...)
	copies = f.Select(within, copies, f.Zero(copies.Type()))
	for _, list := range []*[]int64{&numbers.LHSBatchingDimensions, &numbers.LHSContractingDimensions} {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i]++
		}
	}
	if slices.Contains(d.LHSContractingDimensions, ragged) {
		x := product(copies)
		// The dimension of the groups stands after those of the batch, and the result has it first.
		n := int64(len(d.LHSBatchingDimensions))
		order := append([]int64{n}, transform.Without(transform.Rank(x), n)...)
		return []mlir.Value{f.Transpose(x, order)}
	}
	numbers.LHSContractingDimensions = append(numbers.LHSContractingDimensions, 0)
	numbers.RHSContractingDimensions = append(slices.Clone(numbers.RHSContractingDimensions), d.RHSGroupDimensions...)
	return []mlir.Value{product(copies)}
}
