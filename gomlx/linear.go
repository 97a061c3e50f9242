package gomlx

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	ir "github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// DotGeneral is builder.DotGeneral. The configuration has the type of its sums and of its result, which is otherwise
// that of x.
func (f *function) DotGeneral(
	x compute.Value, xContract, xBatch []int, y compute.Value, yContract, yBatch []int, config compute.DotGeneralConfig,
) (compute.Value, error) {
	if len(xContract) != len(yContract) || len(xBatch) != len(yBatch) {
		return nil, errors.WithStack(fmt.Errorf("%s: DotGeneral has %d and %d contracted axes, and %d and %d of the batch: "+
			"they must be pairs", Name, len(xContract), len(yContract), len(xBatch), len(yBatch)))
	}
	o := ir.DotOptions{Contract: pairs(xContract, yContract), Batch: pairs(xBatch, yBatch)}
	var err error
	if config.AccumulatorDType != dtypes.InvalidDType {
		if o.Result, err = element(config.AccumulatorDType); err != nil {
			return nil, err
		}
	}
	var to tensor.DType
	if config.OutputDType != dtypes.InvalidDType {
		if to, err = element(config.OutputDType); err != nil {
			return nil, err
		}
	}
	return f.binary(func(x, y ir.Value) ir.Value {
		return convert(ir.DotGeneral(x, y, o), cmp.Or(to, x.Shape().DType))
	}, x, y)
}

// convert is builder.Convert for a type that x may have.
func convert(x ir.Value, to tensor.DType) ir.Value {
	if x.Shape().DType == to {
		return x
	}
	return ir.Convert(x, to)
}

func pairs(a, b []int) [][2]int {
	out := make([][2]int, len(a))
	for i := range a {
		out[i] = [2]int{a[i], b[i]}
	}
	return out
}

// ConvGeneral is builder.Conv.
func (f *function) ConvGeneral(
	x, kernel compute.Value, axes compute.ConvolveAxesConfig, strides []int, paddings [][2]int,
	inputDilations, kernelDilations []int, channelGroups, batchGroups int,
) (compute.Value, error) {
	o := ir.ConvOptions{
		Strides: strides, Padding: paddings, InputDilation: inputDilations, KernelDilation: kernelDilations,
		Groups: channelGroups, BatchGroups: batchGroups,
		Input:  layout('N', axes.InputBatch, 'C', axes.InputChannels, axes.InputSpatial),
		Kernel: layout('I', axes.KernelInputChannels, 'O', axes.KernelOutputChannels, axes.KernelSpatial),
		Output: layout('N', axes.OutputBatch, 'C', axes.OutputChannels, axes.OutputSpatial),
	}
	return f.binary(func(x, kernel ir.Value) ir.Value { return ir.Conv(x, kernel, o) }, x, kernel)
}

// layout names axes as builder.ConvOptions does: the spatial ones are a, b, c and so on. Axes that are named twice or
// out of range leave a place empty, which is a mistake there.
func layout(first byte, firstAxis int, second byte, secondAxis int, spatial []int) string {
	names := []byte(fmt.Sprintf("%*s", len(spatial)+2, ""))
	set := func(axis int, letter byte) {
		if axis >= 0 && axis < len(names) {
			names[axis] = letter
		}
	}
	set(firstAxis, first)
	set(secondAxis, second)
	for i, axis := range spatial {
		set(axis, 'a'+byte(i))
	}
	return string(names)
}

// FFT is builder.FFT, or one of its relatives.
func (f *function) FFT(x compute.Value, kind compute.FFTType, dims []int) (compute.Value, error) {
	op, ok := map[compute.FFTType]func(ir.Value, ...int) ir.Value{
		compute.FFTForward: ir.FFT, compute.FFTInverse: ir.IFFT,
		compute.FFTForwardReal: ir.RFFT, compute.FFTInverseReal: ir.IRFFT,
	}[kind]
	if !ok {
		return nil, errors.WithStack(fmt.Errorf("%s: the transform %s is unknown", Name, kind))
	}
	return f.unary(func(x ir.Value) ir.Value { return op(x, dims...) }, x)
}

// BatchNormForInference is builder.BatchNormInference.
func (f *function) BatchNormForInference(
	x, scale, offset, mean, variance compute.Value, epsilon float32, axis int,
) (compute.Value, error) {
	return f.one(func(xs []ir.Value) ir.Value {
		return ir.BatchNormInference(xs[0], xs[1], xs[2], xs[3], xs[4], epsilon, axis)
	}, x, scale, offset, mean, variance)
}

// BatchNormForTraining is builder.BatchNormTraining.
func (f *function) BatchNormForTraining(
	x, scale, offset compute.Value, epsilon float32, axis int,
) (normalized, mean, variance compute.Value, err error) {
	return three(f.many(func(xs []ir.Value) []ir.Value {
		y, mean, variance := ir.BatchNormTraining(xs[0], xs[1], xs[2], epsilon, axis)
		return []ir.Value{y, mean, variance}
	}, x, scale, offset))
}

// BatchNormGradient is builder.BatchNormGrad.
func (f *function) BatchNormGradient(
	x, scale, mean, variance, gradient compute.Value, epsilon float32, axis int,
) (dx, dscale, doffset compute.Value, err error) {
	return three(f.many(func(xs []ir.Value) []ir.Value {
		dx, dscale, doffset := ir.BatchNormGrad(xs[0], xs[1], xs[2], xs[3], xs[4], epsilon, axis)
		return []ir.Value{dx, dscale, doffset}
	}, x, scale, mean, variance, gradient))
}

func three(vs []compute.Value, err error) (x, y, z compute.Value, _ error) {
	if err != nil {
		return nil, nil, nil, err
	}
	return vs[0], vs[1], vs[2], nil
}

// RNGBitGenerator is builder.RngBitGenerator with Philox. The bits are interpreted as elements of the shape's type.
func (f *function) RNGBitGenerator(state compute.Value, shape shapes.Shape) (compute.Value, compute.Value, error) {
	d, err := element(shape.DType)
	if err != nil {
		return nil, nil, err
	}
	vs, err := f.own([]compute.Value{state})
	if err != nil {
		return nil, nil, err
	}
	unsigned := map[int]tensor.DType{8: tensor.U8, 16: tensor.U16, 32: tensor.U32, 64: tensor.U64}[d.Bits()]
	both, err := f.values(func(t *trace) {
		n, random := ir.RngBitGenerator(t.in(f, vs[0]), tensor.ShapeOf(unsigned, t.dims(shape)...), stablehlo.RngPhilox)
		if d != unsigned {
			random = ir.Bitcast(random, d)
		}
		t.add(n, random)
	})
	if err != nil {
		return nil, nil, err
	}
	return both[0], both[1], nil
}

// OptimizationBarrier is builder.OptimizationBarrier.
func (f *function) OptimizationBarrier(operands ...compute.Value) ([]compute.Value, error) {
	if len(operands) == 0 {
		return nil, orNoValues(nil, "OptimizationBarrier")
	}
	return f.many(ir.OptimizationBarrier, operands...)
}

// SchedulingBarrier returns a value that depends on others.
func (f *function) SchedulingBarrier(x compute.Value, dependencies ...compute.Value) (compute.Value, error) {
	return f.first(f.OptimizationBarrier(slices.Concat([]compute.Value{x}, dependencies)...))
}
