package stablehlo

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestMissing checks that errors name the missing part of an operation.
func TestMissing(t *testing.T) {
	c := mlirtest.Context(t)
	in := values(t, c, "tensor<4xf32>", "tensor<f32>")
	b := &body{C: c}
	for want, o := range map[string]mlirtest.Operation{
		"stablehlo.slice: the operand operand is missing": SliceOp{},
		"stablehlo.concatenate: operand 1 of inputs is missing": ConcatenateOp{
			Inputs: []mlir.Value{in[0], {}}},
		"stablehlo.reduce: region 0 has 0 blocks": ReduceOp{
			Inputs: in[:1], InitValues: in[1:], Dimensions: []int64{0}},
		"stablehlo.case: region 1 of branches is missing": CaseOp{
			Index: in[1], Branches: []mlir.Region{b.Returns(0, "tensor<f32>"), {}}},
		"stablehlo.reduce: the lists of operands have different lengths: init_values has 0 and one before it 2": ReduceOp{
			Inputs: in, Body: b.Returns(0, "tensor<f32>")},
		"stablehlo.reshape: the type of the result result is missing: it is not inferred": ReshapeOp{
			Operand: in[0]},
		"stablehlo.all_gather: type 0 of result is missing": AllGatherOp{
			Operands: in[:1], ResultTypes: make([]mlir.Type, 1)},
		"stablehlo.rng_bit_generator: the type of the result output_state is missing": RngBitGeneratorOp{
			InitialState: in[0], RngAlgorithm: RngDefault},
		`stablehlo.compare: comparison_direction: "" is not a known comparison direction: use one of EQ, NE, GE, GT, LE, LT`: CompareOp{LHS: in[0], RHS: in[0]},
		`stablehlo.dot: precision_config: element 1: "LOW" is not a known precision`:                                         DotOp{LHS: in[0], RHS: in[0], PrecisionConfig: []Precision{PrecisionHigh, "LOW"}, ResultType: in[1].Type()},
		"stablehlo.composite: decomposition: the attribute is missing": CompositeOp{
			Name: "x.y"},
	} {
		_, err := mlirtest.Create(c, o)
		check.Error(t, err, want)
	}
}

// TestUnread checks that an operation is not read if a part is missing or has another form.
func TestUnread(t *testing.T) {
	c := mlirtest.Context(t)
	in := values(t, c, "tensor<4xf32>", "tensor<f32>")
	numbers := c.Int64ArrayAttribute(0)
	state := func(name string, operands []mlir.Value, attributes ...mlir.NamedAttribute) mlir.Operation {
		op, err := mlir.Create(c, mlir.OperationState{Name: dialect + name, Operands: operands,
			Results: mlirtest.Types(c, "tensor<4xf32>"), Attributes: attributes})
		check.NoError(t, err)
		return op
	}
	start, limit := mlir.NamedAttribute{Name: "start_indices", Value: numbers},
		mlir.NamedAttribute{Name: "limit_indices", Value: numbers}
	stride := mlir.NamedAttribute{Name: "strides", Value: numbers}
	for what, op := range map[string]mlir.Operation{
		"no operand":   state("slice", nil, start, limit, stride),
		"two operands": state("slice", in, start, limit, stride),
		"another name": state("reverse", in[:1], mlir.NamedAttribute{Name: "dimensions", Value: numbers}),
		"nil":          {},
	} {
		if o, ok := AsSlice(op); ok {
			t.Errorf("%s: read as %v", what, o)
		}
	}
	if _, ok := AsSlice(state("slice", in[:1], start, limit, stride)); !ok {
		t.Error("a complete operation is not read")
	}
	_, err := mlir.Create(c, mlir.OperationState{Name: "stablehlo.slice", Operands: in[:1],
		Results: mlirtest.Types(c, "tensor<4xf32>"), Attributes: []mlir.NamedAttribute{start, limit}})
	check.Error(t, err, `mlir: stablehlo.slice needs the attribute "strides"`)
	if o, ok := AsReduce(state("reduce", in, mlir.NamedAttribute{Name: "dimensions", Value: numbers})); ok {
		t.Errorf("a reduce without a body is read as %v", o)
	}
	if o, ok := AsRngBitGenerator(mlir.Operation{}); ok {
		t.Errorf("the nil operation is read as %v", o)
	}
}
