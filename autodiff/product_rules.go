package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// products has the products of matrices and the convolution.
var products = map[string]rule{
	"stablehlo.dot_general": {
		jvp: bilinear, multilinear: true,
		transpose: func(b *backward, op mlir.Operation) {
			o, _ := stablehlo.AsDotGeneral(op)
			b.to(op, 0, func(g mlir.Value) mlir.Value { return b.transposeDot(o, g, false) })
			b.to(op, 1, func(g mlir.Value) mlir.Value { return b.transposeDot(o, g, true) })
		},
	},
	"stablehlo.convolution": {
		jvp: bilinear, multilinear: true,
		transpose: func(b *backward, op mlir.Operation) {
			o, _ := stablehlo.AsConvolution(op)
			b.to(op, 0, func(g mlir.Value) mlir.Value { return b.transposeInput(o, g) })
			b.to(op, 1, func(g mlir.Value) mlir.Value { return b.transposeKernel(o, g) })
		},
	},
}

// transposeDot returns the cotangent of the left or right operand: the product of the cotangent of the
// result with the other operand, over the dimensions of the result that came from that one.
func (b *backward) transposeDot(o stablehlo.DotGeneralOp, g mlir.Value, right bool) mlir.Value {
	d := o.DotDimensionNumbers
	of, other := o.LHS, o.RHS
	ofBatch, otherBatch := d.LHSBatchingDimensions, d.RHSBatchingDimensions
	ofSum, otherSum := d.LHSContractingDimensions, d.RHSContractingDimensions
	if right {
		of, other, ofBatch, otherBatch, ofSum, otherSum = other, of, otherBatch, ofBatch, otherSum, ofSum
	}
	ofFree := transform.Without(transform.Rank(of), append(slices.Clone(ofBatch), ofSum...)...)
	otherFree := transform.Without(transform.Rank(other), append(slices.Clone(otherBatch), otherSum...)...)
	batch := transform.UpTo(len(ofBatch))
	free := transform.UpTo(len(otherFree)) // in g
	for i := range free {
		free[i] += int64(len(batch))
		if !right {
			free[i] += int64(len(ofFree))
		}
	}
	// The product has the batch dimensions, those of of that are free, and those that were added up, in
	// the order that they have in other.
	numbers := stablehlo.DotDimensionNumbers{
		LHSBatchingDimensions: batch, RHSBatchingDimensions: otherBatch,
		LHSContractingDimensions: free, RHSContractingDimensions: otherFree,
	}
	other = b.convert(other, g.Type())
	product := b.Do(stablehlo.DotGeneralOp{
		LHS: g, RHS: other, DotDimensionNumbers: numbers, PrecisionConfig: o.PrecisionConfig, Algorithm: o.Algorithm,
		ResultType: transform.Must(stablehlo.DotGeneralType(g.Type(), other.Type(), numbers,
			transform.Element(g.Type()))),
	})
	order := append(slices.Clone(ofBatch), ofFree...)
	for _, i := range slices.Sorted(slices.Values(otherSum)) {
		order = append(order, ofSum[slices.Index(otherSum, i)])
	}
	return b.convert(b.Transpose(product, inverse(order)), of.Type())
}

// window is one spatial dimension of a convolution or a reduce_window.
type window struct{ in, size, out, stride, low, inDilation, dilation int64 }

func dilated(n, dilation int64) int64 {
	if n == 0 {
		return 0
	}
	return (n-1)*dilation + 1
}

// transposed returns the padding of the cotangent with which the reversed window gives that of the input.
func (w window) transposed() [2]int64 {
	window := dilated(w.size, w.dilation)
	low := window - w.low - 1
	return [2]int64{low, dilated(w.in, w.inDilation) + window - 1 - dilated(w.out, w.stride) - low}
}

// orOnes returns a list that may be left out.
func orOnes(list []int64, n int) []int64 {
	if list == nil {
		return transform.Ones(n)
	}
	return list
}

// spatial returns the spatial dimensions of a convolution.
func spatial(o stablehlo.ConvolutionOp, g mlir.Value) (list []window) {
	d := o.DimensionNumbers
	n := len(d.InputSpatialDimensions)
	strides, in, kernel := orOnes(o.WindowStrides, n), orOnes(o.LHSDilation, n), orOnes(o.RHSDilation, n)
	for i := range n {
		w := window{
			in:   transform.Dims(o.LHS)[d.InputSpatialDimensions[i]],
			size: transform.Dims(o.RHS)[d.KernelSpatialDimensions[i]],
			out:  transform.Dims(g)[d.OutputSpatialDimensions[i]], stride: strides[i], inDilation: in[i],
			dilation: kernel[i],
		}
		if o.Padding != nil {
			w.low = o.Padding[i][0]
		}
		list = append(list, w)
	}
	return list
}

// reversed returns x reversed in the spatial dimensions of the kernel that are reversed, or in the others.
func (b *backward) reversed(o stablehlo.ConvolutionOp, x mlir.Value, others bool) mlir.Value {
	var list []int64
	for i, d := range o.DimensionNumbers.KernelSpatialDimensions {
		if is := o.WindowReversal != nil && o.WindowReversal[i]; is != others {
			list = append(list, d)
		}
	}
	if list == nil {
		return x
	}
	return b.Do(stablehlo.ReverseOp{Operand: x, Dimensions: list})
}

// regroup splits n groups off dimension from, where they are the slower part, and makes them the slower
// part of dimension to.
func (e *emitter) regroup(x mlir.Value, from, to, n int64) mlir.Value {
	if n == 1 {
		return x
	}
	shape := slices.Clone(transform.Dims(x))
	split := slices.Insert(slices.Clone(shape), int(from), n)
	split[from+1] /= n
	order := slices.Delete(transform.UpTo(len(split)), int(from), int(from)+1)
	order = slices.Insert(order, int(to), from)
	shape[from] /= n
	shape[to] *= n
	return e.Reshape(e.Transpose(e.Reshape(x, split...), order), shape...)
}

// transposeInput is a convolution of the cotangent with the reversed kernel, whose strides and input
// dilations change places.
func (b *backward) transposeInput(o stablehlo.ConvolutionOp, g mlir.Value) mlir.Value {
	d := o.DimensionNumbers
	groups := max(o.FeatureGroupCount, o.BatchGroupCount)
	kernel := b.regroup(o.RHS, d.KernelOutputFeatureDimension, d.KernelInputFeatureDimension, groups)
	kernel = b.convert(b.reversed(o, kernel, true), g.Type())
	var padding [][2]int64
	for _, w := range spatial(o, g) {
		padding = append(padding, w.transposed())
	}
	shape := slices.Clone(transform.Dims(o.LHS))
	shape[d.InputFeatureDimension] *= o.BatchGroupCount
	shape[d.InputBatchDimension] /= o.BatchGroupCount
	x := b.Do(stablehlo.ConvolutionOp{
		LHS: g, RHS: kernel, WindowStrides: o.LHSDilation, LHSDilation: o.WindowStrides, RHSDilation: o.RHSDilation,
		Padding: padding, FeatureGroupCount: groups, BatchGroupCount: 1, PrecisionConfig: o.PrecisionConfig,
		DimensionNumbers: stablehlo.ConvDimensionNumbers{
			InputBatchDimension: d.OutputBatchDimension, InputFeatureDimension: d.OutputFeatureDimension,
			InputSpatialDimensions:       d.OutputSpatialDimensions,
			KernelInputFeatureDimension:  d.KernelOutputFeatureDimension,
			KernelOutputFeatureDimension: d.KernelInputFeatureDimension,
			KernelSpatialDimensions:      d.KernelSpatialDimensions,
			OutputBatchDimension:         d.InputBatchDimension, OutputFeatureDimension: d.InputFeatureDimension,
			OutputSpatialDimensions: d.InputSpatialDimensions,
		},
		ResultType: transform.Must(b.Context.TensorType(transform.Element(g.Type()), shape...)),
	})
	return b.regroup(b.convert(x, o.LHS.Type()), d.InputFeatureDimension, d.InputBatchDimension, o.BatchGroupCount)
}

// transposeKernel is a convolution of the input with the cotangent, over the batch, whose strides and
// kernel dilations change places.
func (b *backward) transposeKernel(o stablehlo.ConvolutionOp, g mlir.Value) mlir.Value {
	d := o.DimensionNumbers
	var padding [][2]int64
	for _, w := range spatial(o, g) {
		high := dilated(w.out, w.stride) - dilated(w.in, w.inDilation) + dilated(w.size, w.dilation) - w.low - 1
		padding = append(padding, [2]int64{w.low, high})
	}
	x := b.Do(stablehlo.ConvolutionOp{
		LHS: b.convert(o.LHS, g.Type()), RHS: g,
		WindowStrides: o.RHSDilation, LHSDilation: o.LHSDilation, RHSDilation: o.WindowStrides,
		Padding: padding, FeatureGroupCount: o.BatchGroupCount, BatchGroupCount: o.FeatureGroupCount,
		PrecisionConfig: o.PrecisionConfig,
		DimensionNumbers: stablehlo.ConvDimensionNumbers{
			InputBatchDimension: d.InputFeatureDimension, InputFeatureDimension: d.InputBatchDimension,
			InputSpatialDimensions:      d.InputSpatialDimensions,
			KernelInputFeatureDimension: d.OutputBatchDimension, KernelOutputFeatureDimension: d.OutputFeatureDimension,
			KernelSpatialDimensions: d.OutputSpatialDimensions,
			OutputBatchDimension:    d.KernelInputFeatureDimension,
			OutputFeatureDimension:  d.KernelOutputFeatureDimension,
			OutputSpatialDimensions: d.KernelSpatialDimensions,
		},
		ResultType: transform.Must(b.Context.TensorType(transform.Element(g.Type()), transform.Dims(o.RHS)...)),
	})
	return b.convert(b.reversed(o, x, false), o.RHS.Type())
}
