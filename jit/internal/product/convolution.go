package product

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
	"github.com/calliope-mlir/calliope/mlir/dialect/linalg"
	upstream "github.com/calliope-mlir/calliope/mlir/dialect/tensor"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// largestWindow is the number of positions of a kernel from which on the copies for a product take too much memory.
const largestWindow = 64

// expand makes products of the convolutions of a module: of a matrix that has what the kernel covers in its rows, and
// the kernel. Those with groups stay.
func expand(m *mlir.Module) error {
	for op := range m.Operation().Index().Named("stablehlo.convolution") {
		c, ok := readConvolution(op)
		if !ok {
			continue
		}
		b := mlir.NewBuilder(mlir.Before(op), op.Location())
		result := c.product(b)
		if b.Err() != nil {
			return b.Err()
		}
		op.Result(0).ReplaceAllUses(result)
		if err := op.Erase(); err != nil {
			return err
		}
	}
	return nil
}

// A convolution is one without groups. Its list of a dimension's sizes leaves out the batch and the features.
type convolution struct {
	stablehlo.ConvolutionOp
	input, kernel, output tensor.Shape
	window, result        []int64 // sizes
}

func readConvolution(op mlir.Operation) (c convolution, ok bool) {
	c.ConvolutionOp, ok = stablehlo.AsConvolution(op)
	var errs [3]error
	c.input, errs[0] = stablehlo.ShapeOf(c.LHS.Type())
	c.kernel, errs[1] = stablehlo.ShapeOf(c.RHS.Type())
	c.output, errs[2] = stablehlo.ShapeOf(c.ResultType)
	// linalg, which copies what the kernel covers, knows no unsigned numbers.
	if kind := kinds[c.input.DType]; !ok || errs != [3]error{} || kind == 0 || kind == 'u' ||
		c.kernel.DType != c.input.DType || c.output.DType != c.input.DType ||
		c.FeatureGroupCount != 1 || c.BatchGroupCount != 1 {
		return c, false
	}
	n := c.DimensionNumbers
	positions := int64(1)
	for i, d := range n.KernelSpatialDimensions {
		c.window = append(c.window, int64(c.kernel.Dims[d]))
		c.result = append(c.result, int64(c.output.Dims[n.OutputSpatialDimensions[i]]))
		positions *= c.window[i]
	}
	return c, positions > 0 && positions <= largestWindow && c.input.NumElements() > 0 && c.output.NumElements() > 0
}

// product creates the operations that take the place of the convolution.
func (c convolution) product(b *mlir.Builder) mlir.Value {
	n := c.DimensionNumbers
	inner := slices.Concat(n.KernelSpatialDimensions, []int64{n.KernelInputFeatureDimension})
	kernel := transposed(b, c.RHS, slices.Concat(inner, []int64{n.KernelOutputFeatureDimension}))
	var reversed []int64
	for i, r := range c.WindowReversal {
		if r {
			reversed = append(reversed, int64(i))
		}
	}
	if len(reversed) > 0 {
		kernel = stablehlo.Reverse(b, kernel, reversed)
	}
	rows := int64(1)
	for _, d := range inner {
		rows *= int64(c.kernel.Dims[d])
	}
	columns := int64(c.kernel.Dims[n.KernelOutputFeatureDimension])
	kernel = stablehlo.Reshape(b, c.tensor(b, rows, columns), kernel)

	batch, last := int64(c.output.Dims[n.OutputBatchDimension]), int64(len(c.window)+1)
	at := slices.Concat([]int64{batch}, c.result)
	patches := stablehlo.Reshape(b, c.tensor(b, append(slices.Clone(at), rows)...), c.patches(b))
	result := stablehlo.DotGeneral(b, c.tensor(b, append(at, columns)...), patches, kernel,
		stablehlo.DotDimensionNumbers{LHSContractingDimensions: []int64{last}, RHSContractingDimensions: []int64{0}})
	order := make([]int64, last+1)
	order[n.OutputFeatureDimension] = last
	for i, d := range n.OutputSpatialDimensions {
		order[d] = int64(i) + 1
	}
	return transposed(b, result, order)
}

// patches returns what the kernel covers: by batch, position of the result, position in the kernel, and feature.
func (c convolution) patches(b *mlir.Builder) mlir.Value {
	n, ones := c.DimensionNumbers, slices.Repeat([]int64{1}, len(c.window))
	x := transposed(b, c.LHS,
		slices.Concat([]int64{n.InputBatchDimension}, n.InputSpatialDimensions, []int64{n.InputFeatureDimension}))
	strides, spread, apart := orOnes(c.WindowStrides, ones), orOnes(c.LHSDilation, ones), orOnes(c.RHSDilation, ones)
	low, high, between := make([]int64, len(ones)+2), make([]int64, len(ones)+2), make([]int64, len(ones)+2)
	for i, d := range spread {
		if c.Padding != nil {
			low[i+1], high[i+1] = c.Padding[i][0], c.Padding[i][1]
		}
		between[i+1] = d - 1
	}
	zero := stablehlo.Constant(b, tensor.View{Shape: tensor.Shape{DType: c.input.DType},
		Data: make([]byte, c.input.DType.Size())})
	x = stablehlo.Pad(b, x, zero, low, high, between)

	k, loops := b.Context(), 2*len(ones)+2
	from := []affine.Expr{affine.Dim(k, 0)}
	for i := range ones {
		at, inside := affine.Dim(k, 1+i), affine.Dim(k, 1+len(ones)+i)
		from = append(from,
			at.Mul(affine.Constant(k, strides[i])).Add(inside.Mul(affine.Constant(k, apart[i]))))
	}
	from = append(from, affine.Dim(k, loops-1))
	dims := slices.Concat([]int64{int64(c.output.Dims[n.OutputBatchDimension])}, c.result, c.window,
		[]int64{int64(c.kernel.Dims[n.KernelInputFeatureDimension])})
	op := linalg.Generic(b, []affine.Map{affine.NewMap(k, loops, 0, from...), affine.Identity(k, loops)},
		slices.Repeat([]string{linalg.ParallelLoop}, loops), []mlir.Value{x},
		[]mlir.Value{upstream.Empty(b, c.tensor(b, dims...))},
		func(in []mlir.Value) []mlir.Value { return in[:1] })
	return op.Result(0)
}

func orOnes(list, ones []int64) []int64 {
	if list == nil {
		return ones
	}
	return list
}

func (c convolution) tensor(b *mlir.Builder, dims ...int64) mlir.Type {
	shape := tensor.Shape{DType: c.input.DType}
	for _, d := range dims {
		shape.Dims = append(shape.Dims, int(d))
	}
	t, err := stablehlo.TensorType(b.Context(), shape)
	b.Fail(err)
	return t
}

func transposed(b *mlir.Builder, v mlir.Value, order []int64) mlir.Value {
	if slices.IsSorted(order) {
		return v
	}
	return stablehlo.Transpose(b, v, order)
}
