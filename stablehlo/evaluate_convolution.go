package stablehlo

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// The interpreter of StableHLO 1.10 adds the products of a convolution in the operands'
// element type: those of i8 into i32 overflow, and f32 into f16 is nonsense. That of 1.19 is
// right, but for types of one size. Both end the process for integers into floating point.
// So each convolution whose result has another element type is rewritten or refused. Both end the process
// where the result does not have the batch first and the features last.

// mixed reports whether an operation is a convolution whose result has another element type
// than its operands.
func mixed(op mlir.Operation) bool {
	if name := op.Name(); name != "stablehlo.convolution" && name != "stablehlo.dynamic_conv" {
		return false
	}
	from, to := elementsOf(op)
	return from != to
}

// elementsOf returns the element types of the first operand and of the result, or Invalid.
func elementsOf(op mlir.Operation) (from, to tensor.DType) {
	if op.NumOperands() == 0 || op.NumResults() == 0 {
		return tensor.Invalid, tensor.Invalid
	}
	in, _ := ShapeOf(op.Operand(0).Type())
	out, _ := ShapeOf(op.Result(0).Type())
	return in.DType, out.DType
}

// convertible reports whether values of both types are numbers of one kind.
func convertible(a, b tensor.DType) bool { return kindOf(a) == kindOf(b) && kindOf(a) != 0 }

// kindOf returns 's', 'u', 'f' or 'c' for signed, unsigned, floating-point and complex
// numbers, and 0 for others.
func kindOf(d tensor.DType) byte {
	switch {
	case d >= tensor.S2 && d <= tensor.S64:
		return 's'
	case d >= tensor.U2 && d <= tensor.U64:
		return 'u'
	case d >= tensor.F16 && d <= tensor.F8E8M0FNU:
		return 'f'
	case d == tensor.C64 || d == tensor.C128:
		return 'c'
	}
	return 0
}

// makeUniform computes a mixed convolution in the wider one of its two types.
func makeUniform(op mlir.Operation) error {
	from, to := elementsOf(op)
	result := op.Result(0)
	if to.Bits() > from.Bits() {
		element, _ := result.Type().Element()
		for i := range 2 {
			v, err := convert(mlir.Before(op), op, op.Operand(i), element)
			if err != nil {
				return err
			}
			op.SetOperand(i, v)
		}
		return nil
	}
	narrow, _ := result.Type().Element()
	wide, _ := op.Operand(0).Type().Element()
	t, err := ConvertType(result.Type(), wide)
	if err != nil {
		return err
	}
	result.SetType(t)
	v, err := convert(mlir.After(op), op, result, narrow)
	if err != nil {
		return err
	}
	result.ReplaceAllUsesExcept(v, v.Owner())
	return nil
}

func convert(at mlir.InsertionPoint, op mlir.Operation, v mlir.Value, element mlir.Type) (mlir.Value, error) {
	t, err := ConvertType(v.Type(), element)
	if err != nil {
		return v, err
	}
	b := mlir.NewBuilder(at, op.Location())
	return Convert(b, t, v), b.Cause()
}

// reordered reports whether an operation is a convolution whose result does not have the order batch, spatial
// dimensions, features.
func reordered(op mlir.Operation) bool {
	d, ok := dimensionsOf(op)
	return ok && !slices.IsSorted(resultOrder(d))
}

// dimensionsOf returns the dimension numbers of a convolution.
func dimensionsOf(op mlir.Operation) (ConvDimensionNumbers, bool) {
	if o, ok := AsConvolution(op); ok {
		return o.DimensionNumbers, true
	}
	o, ok := AsDynamicConv(op)
	return o.DimensionNumbers, ok
}

// resultOrder returns where the result has the batch, the spatial dimensions and the features.
func resultOrder(d ConvDimensionNumbers) []int64 {
	return slices.Concat([]int64{d.OutputBatchDimension}, d.OutputSpatialDimensions, []int64{d.OutputFeatureDimension})
}

// reorder computes a convolution with the batch first and the features last, and transposes its result.
func reorder(op mlir.Operation) error {
	d, _ := dimensionsOf(op)
	order, result := resultOrder(d), op.Result(0)
	shape, err := ShapeOf(result.Type())
	if err != nil {
		return err
	}
	last := len(order) - 1
	d.OutputBatchDimension, d.OutputFeatureDimension = 0, int64(last)
	d.OutputSpatialDimensions = slices.Sorted(slices.Values(order))[1:last]
	numbers, err := d.Attribute(op.Context())
	if err != nil {
		return err
	}
	op.SetAttribute("dimension_numbers", numbers)
	dims, back := make([]int64, len(order)), make([]int64, len(order))
	for i, from := range order {
		dims[i], back[from] = int64(shape.Dims[from]), int64(i)
	}
	element, _ := result.Type().Element()
	t, err := op.Context().TensorType(element, dims...)
	if err != nil {
		return err
	}
	result.SetType(t)
	b := mlir.NewBuilder(mlir.After(op), op.Location())
	v := Transpose(b, result, back)
	if err := b.Cause(); err != nil {
		return err
	}
	result.ReplaceAllUsesExcept(v, v.Owner())
	return nil
}
