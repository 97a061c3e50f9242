package stablehlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// ConstantOp is the operation stablehlo.constant.
type ConstantOp struct {
	Value tensor.View // copied into the context
}

// Create creates the operation.
func (o ConstantOp) Create(b *mlir.Builder) mlir.Operation {
	value, err := o.attribute(b.Context())
	b.Fail(err)
	return b.Create(mlir.OperationState{
		Name: dialect + "constant", Attributes: []mlir.NamedAttribute{{Name: "value", Value: value}},
		InferResults: true,
	})
}

// Constant creates stablehlo.constant and returns its result.
func Constant(b *mlir.Builder, value tensor.View) mlir.Value {
	return ConstantOp{value}.Create(b).Result(0)
}

func (o ConstantOp) attribute(c *mlir.Context) (value mlir.Attribute, err error) {
	if err = o.Value.Shape.Check(); err == nil {
		var t mlir.Type
		if t, err = TensorType(c, o.Value.Shape); err != nil {
			return value, err
		}
		if want := o.Value.Shape.NumBytes(); len(o.Value.Data) != want {
			return value, fmt.Errorf("stablehlo: a constant %s needs %d bytes, but %d are given", o.Value.Shape, want,
				len(o.Value.Data))
		}
		value, err = denseAttribute(c, t, o.Value)
	}
	if err != nil {
		err = fmt.Errorf("stablehlo.constant: %w", err)
	}
	return value, err
}

func denseAttribute(c *mlir.Context, t mlir.Type, v tensor.View) (mlir.Attribute, error) {
	bits := v.Shape.DType.Bits()
	switch {
	case v.Shape.DType == tensor.Pred:
		// How MLIR packs booleans is its implementation detail, so use its function.
		const name = "mlirDenseElementsAttrBoolGet"
		l := c.Library()
		if !l.Has(name) {
			return mlir.Attribute{}, &mlir.UnsupportedError{Library: l.Path(), Function: name}
		}
		values := make([]int32, len(v.Data))
		for i, b := range v.Data {
			values[i] = int32(b)
		}
		return raw.WrapAttribute(c,
			capi.MlirDenseElementsAttrBoolGet(raw.LibraryTable(l), raw.Type(t), len(values), raw.First(values))), nil
	case bits < 8:
		// MLIR requires that the bits above an element are zero. In a host array those of
		// a negative number are one.
		data := make([]byte, len(v.Data))
		for i, b := range v.Data {
			data[i] = b & (1<<bits - 1)
		}
		return c.DenseAttribute(t, data)
	}
	return c.DenseAttribute(t, v.Data)
}

// AsConstant reads a stablehlo.constant. It returns false for another operation, and for a constant whose
// elements MLIR does not hold: quantized ones, and dense resources.
func AsConstant(op mlir.Operation) (ConstantOp, bool) {
	if op.Name() != dialect+"constant" {
		return ConstantOp{}, false
	}
	value, _ := op.Attribute("value")
	view, err := viewOf(value)
	if err != nil || len(view.Data) != view.Shape.NumBytes() {
		return ConstantOp{}, false
	}
	return ConstantOp{view}, true
}
