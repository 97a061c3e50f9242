package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestUpstreamInference checks that operations of upstream dialects infer their result types
// without AllowInference, and that what would crash the inference is refused.
func TestUpstreamInference(t *testing.T) {
	c := mlirtest.Context(t)
	texts := []string{"i32", "index", "vector<2xf32>", "memref<2x3xf32>", "tensor<2xf32>",
		"tensor<2xf32, #sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>>", "vector<f32>"}
	var types []mlir.Type
	for _, text := range texts {
		types = append(types, check.Must(c.ParseType(text)))
	}
	block := c.NewBlock(mlir.Location{}, types...)
	i32, index, vector, memref, tensor, sparse, scalar := block.Argument(0), block.Argument(1), block.Argument(2),
		block.Argument(3), block.Argument(4), block.Argument(5), block.Argument(6)
	region := c.NewRegion()
	region.Append(block)
	check.Must(mlir.Create(c.NewModule(mlir.Location{}).Body(),
		mlir.OperationState{Name: "builtin.module", Regions: []mlir.Region{region}}))
	axis := []mlir.NamedAttribute{{Name: "axis", Value: check.Must(c.ParseAttribute("1 : i32"))}}
	for _, test := range []struct {
		name       string
		operands   []mlir.Value
		attributes []mlir.NamedAttribute
		want       string // the type, or the error
	}{
		{"arith.addi", []mlir.Value{i32, i32}, nil, "i32"},
		{"memref.load", []mlir.Value{memref, index, index}, nil, "f32"},
		{"vector.deinterleave", []mlir.Value{vector}, nil, "vector<1xf32>"},
		{"sparse_tensor.values", []mlir.Value{sparse}, nil, "memref<?xf32>"},
		{"arith.addi", []mlir.Value{i32}, nil, "takes 2 operands, but 1 are given"},
		{"memref.load", nil, nil, "takes at least 1 operands, but 0 are given"},
		{"memref.load", []mlir.Value{i32, index}, nil, "operand 0 of memref.load must be memref, not i32"},
		{"memref.load", []mlir.Value{memref, index, i32}, nil, "operand 2 of memref.load must be index, not i32"},
		{"vector.deinterleave", []mlir.Value{scalar}, nil, "must be vector and nonscalar, not vector<f32>"},
		{"sparse_tensor.values", []mlir.Value{tensor}, nil, "must be"},
		{"tosa.concat", []mlir.Value{tensor}, nil, `needs the attribute "axis"`},
		{"tosa.concat", []mlir.Value{tensor}, axis, "needs an axis that its operands have"},
	} {
		op, err := mlir.Create(block, mlir.OperationState{Name: test.name, Operands: test.operands,
			Attributes: test.attributes, InferResults: true})
		if err != nil {
			check.Error(t, err, test.want)
			continue
		}
		check.Diff(t, test.name, test.want, op.Result(0).Type().String())
	}
}
