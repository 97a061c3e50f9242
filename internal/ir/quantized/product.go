package quantized

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// mostTerms is how many products of two numbers of eight bits have a sum of 32 bits.
const mostTerms = 1 << 15

// product returns the product of two arrays of at most eight bits, whose sums are integers, which is exact. It reports
// whether an operation is one. Others are computed with the represented numbers.
func (e emitter) product(op mlir.Operation) (v mlir.Value, ok bool) {
	axis, terms := -1, int64(0) // the dimension of the result that the axis of the right operand becomes
	if op.NumOperands() < 2 {
		return v, false
	}
	left, isLeft := e.numbers[op.Operand(0)]
	right, isRight := e.numbers[op.Operand(1)]
	to, isResult := e.numbers[op.Result(0)]
	sizes, _ := op.Operand(1).Type().Dims()
	if dot, is := stablehlo.AsDotGeneral(op); is && dot.Algorithm == nil {
		n := dot.DotDimensionNumbers
		leftSizes, _ := dot.LHS.Type().Dims()
		axis, terms = len(leftSizes)-len(n.LHSContractingDimensions), 1
		for i, size := range sizes {
			switch d := int64(i); {
			case slices.Contains(n.RHSContractingDimensions, d):
				terms = times(terms, size)
			case slices.Contains(n.RHSBatchingDimensions, d):
			case i < right.Axis:
				axis++
			}
		}
		ok = !right.PerAxis || !slices.Contains(n.RHSContractingDimensions, int64(right.Axis)) &&
			!slices.Contains(n.RHSBatchingDimensions, int64(right.Axis))
	} else if c, is := stablehlo.AsConvolution(op); is {
		n := c.DimensionNumbers
		axis, terms = int(n.OutputFeatureDimension), 1
		for i, size := range sizes {
			if int64(i) != n.KernelOutputFeatureDimension {
				terms = times(terms, size)
			}
		}
		ok = !right.PerAxis || int64(right.Axis) == n.KernelOutputFeatureDimension
	}
	if !ok || !isLeft || !isRight || !isResult || left.PerAxis || max(left.Bits, right.Bits) > 8 || terms > mostTerms {
		return v, false
	}
	i32 := e.Context().IntegerType(32, mlir.Signless)
	sum := op.Block().InsertBefore(op, op.Clone())
	operands := mlir.NewBuilder(mlir.Before(sum), op.Location())
	for i, q := range []stablehlo.Quantized{left, right} {
		in := emitter{operands, e.expander}
		v := in.centered(op.Operand(i), q)
		if !isZero(left) || !isZero(right) || left.Unsigned || right.Unsigned || left.Bits != right.Bits {
			v = stablehlo.Convert(operands, e.with(v.Type(), i32), v)
		}
		sum.SetOperand(i, v)
	}
	e.Fail(operands.Err())
	sum.Result(0).SetType(e.with(op.Result(0).Type(), i32))
	exact := stablehlo.Quantized{Bits: 32, Expressed: to.Expressed, PerAxis: right.PerAxis, Axis: axis,
		ZeroPoints: make([]int64, len(right.Scales))}
	for _, s := range right.Scales {
		exact.Scales = append(exact.Scales, left.Scales[0]*s)
	}
	if sameNumbers(exact, to) {
		return sum.Result(0), true
	}
	return e.quantize(e.dequantize(sum.Result(0), exact), to), true
}

// times returns the product of sizes, or one that is too large.
func times(n, size int64) int64 {
	if size < 0 || size > mostTerms || n > mostTerms {
		return mostTerms + 1
	}
	return n * size
}
