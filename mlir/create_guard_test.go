package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
)

// TestCreateGuards checks that operations on which the library would crash are refused,
// and that valid ones are created.
func TestCreateGuards(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		i32, tensor := c.IntegerType(32, mlir.Signless), check.Must(c.ParseType("tensor<2x3xf32>"))
		memref := check.Must(c.ParseType("memref<2x3xf32>"))
		block := c.NewBlock(mlir.Location{}, i32, tensor, memref, check.Must(c.ParseType("tensor<f32>")),
			check.Must(c.ParseType("tensor<*xf32>")))
		scalar, unranked := block.Argument(3), block.Argument(4)
		number, value, buffer := block.Argument(0), block.Argument(1), block.Argument(2)
		none := mlir.NamedAttribute{Name: "tag_map", Value: affine.NewMap(c, 0, 0).Attribute()}
		for _, test := range []struct {
			want string
			s    mlir.OperationState
		}{
			{"linalg.copy needs an operand",
				mlir.OperationState{Name: "linalg.copy", Regions: []mlir.Region{c.NewRegion()}}},
			{"", mlir.OperationState{Name: "linalg.index", Results: []mlir.Type{c.IndexType()},
				Attributes: []mlir.NamedAttribute{
					{Name: "dim", Value: c.IntegerAttribute(c.IntegerType(64, mlir.Signless), 0)}}}},
			{"", mlir.OperationState{Name: "linalg.yield"}},
			{"tm_tensor.attention needs an operand", mlir.OperationState{Name: "tm_tensor.attention"}},
			{"tosa.abs needs operands and results that are tensors",
				mlir.OperationState{Name: "tosa.abs", Operands: []mlir.Value{number}, Results: []mlir.Type{tensor}}},
			{"tosa.abs needs operands and results that are tensors",
				mlir.OperationState{Name: "tosa.abs", Operands: []mlir.Value{value}, Results: []mlir.Type{i32}}},
			{"", mlir.OperationState{Name: "tosa.abs", Operands: []mlir.Value{value}, Results: []mlir.Type{tensor}}},
			{"affine.dma_start needs the attribute src_map", mlir.OperationState{Name: "affine.dma_start"}},
			{"affine.dma_wait needs the attribute tag_map",
				mlir.OperationState{Name: "affine.dma_wait", Operands: []mlir.Value{buffer, number}}},
			{"affine.dma_wait needs an affine map as its attribute tag_map",
				mlir.OperationState{Name: "affine.dma_wait", Operands: []mlir.Value{buffer, number},
					Attributes: []mlir.NamedAttribute{{Name: "tag_map", Value: c.UnitAttribute()}}}},
			{"affine.dma_wait needs 2 operands for its maps", mlir.OperationState{Name: "affine.dma_wait",
				Operands: []mlir.Value{buffer}, Attributes: []mlir.NamedAttribute{none}}},
			{"", mlir.OperationState{Name: "affine.dma_wait", Operands: []mlir.Value{buffer, number},
				Attributes: []mlir.NamedAttribute{none}}},
			{"xegpu.create_mem_desc needs a result of type !xegpu.mem_desc", mlir.OperationState{
				Name: "xegpu.create_mem_desc", Operands: []mlir.Value{buffer}, Results: []mlir.Type{i32}}},
			{"sparse_tensor.select needs regions whose blocks end", mlir.OperationState{Name: "sparse_tensor.select",
				Operands: []mlir.Value{number}, Results: []mlir.Type{i32}, Regions: []mlir.Region{body(c)}}},
			{"nvgpu.mma.sync needs three vectors of two dimensions", mlir.OperationState{Name: "nvgpu.mma.sync",
				Operands: []mlir.Value{value, value, number}, Results: []mlir.Type{i32}}},
			{"spirv.SpecConstantComposite needs symbols as its constituents",
				mlir.OperationState{Name: "spirv.SpecConstantComposite",
					Attributes: []mlir.NamedAttribute{
						{Name: "constituents", Value: c.ArrayAttribute(c.UnitAttribute())}}}},
			{"affine.delinearize_index needs a static_basis that is not empty",
				mlir.OperationState{Name: "affine.delinearize_index", Operands: []mlir.Value{number},
					Attributes: []mlir.NamedAttribute{{Name: "static_basis", Value: mlir.NewDenseArray[int64](c)}}}},
			{"affine.for needs an operand for each input of its attributes", mlir.OperationState{Name: "affine.for",
				Regions: []mlir.Region{c.NewRegion()}, Attributes: []mlir.NamedAttribute{
					{Name: "lowerBoundMap", Value: affine.Identity(c, 1).Attribute()},
					{Name: "upperBoundMap", Value: affine.NewMap(c, 0, 0, affine.Constant(c, 1)).Attribute()},
					{Name: "operandSegmentSizes", Value: mlir.NewDenseArray[int32](c, 0, 0, 0)}}}},
			{"affine.parallel needs an operand for each input of its attributes", mlir.OperationState{
				Name: "affine.parallel", Regions: []mlir.Region{c.NewRegion()}, Attributes: []mlir.NamedAttribute{
					{Name: "lowerBoundsMap", Value: affine.Identity(c, 1).Attribute()},
					{Name: "upperBoundsMap", Value: affine.NewMap(c, 0, 0, affine.Constant(c, 1)).Attribute()}}}},
			{"affine.parallel needs an operand for each input of its attributes", mlir.OperationState{
				Name: "affine.parallel", Regions: []mlir.Region{c.NewRegion()}, Attributes: []mlir.NamedAttribute{
					{Name: "lowerBoundsMap", Value: c.UnitAttribute()}}}},
			{"cf.switch needs a successor and a list of operands",
				mlir.OperationState{Name: "cf.switch", Operands: []mlir.Value{number},
					Attributes: []mlir.NamedAttribute{
						{Name: "case_operand_segments", Value: mlir.NewDenseArray[int32](c, 1)}}}},
			{"llvm.extractvalue needs a position of indices that are not negative", mlir.OperationState{
				Name: "llvm.extractvalue", Operands: []mlir.Value{number}, Results: []mlir.Type{i32},
				Attributes: []mlir.NamedAttribute{{Name: "position", Value: mlir.NewDenseArray[int64](c, -1)}}}},
			{"spirv.EXT.ConstantCompositeReplicate needs a value that has a type",
				mlir.OperationState{Name: "spirv.EXT.ConstantCompositeReplicate", Results: []mlir.Type{i32},
					Attributes: []mlir.NamedAttribute{{Name: "value", Value: c.ArrayAttribute()}}}},
			{"spirv.ImageSampleImplicitLod needs a sampled image as its first operand", mlir.OperationState{
				Name: "spirv.ImageSampleImplicitLod", Operands: []mlir.Value{number}, Results: []mlir.Type{i32}}},
			{"acc.reduction_init needs a region that has a block", mlir.OperationState{Name: "acc.reduction_init",
				Operands: []mlir.Value{buffer}, Results: []mlir.Type{memref}, Regions: []mlir.Region{c.NewRegion()}}},
			{"amdgpu.gather_to_lds needs a source and a destination that are memrefs", mlir.OperationState{
				Name: "amdgpu.gather_to_lds", Operands: []mlir.Value{buffer, number}, Attributes: []mlir.NamedAttribute{
					{Name: "operandSegmentSizes", Value: mlir.NewDenseArray[int32](c, 1, 0, 1, 0)},
					{Name: "transferType", Value: c.TypeAttribute(i32)}}}},
			{"arith.extf needs a tensor with a rank", mlir.OperationState{Name: "arith.extf",
				Operands: []mlir.Value{unranked}, Results: []mlir.Type{unranked.Type()}}},
			{"arith.trunci needs a tensor with a rank", mlir.OperationState{Name: "arith.trunci",
				Operands: []mlir.Value{unranked}, Results: []mlir.Type{unranked.Type()}}},
			{"", mlir.OperationState{Name: "arith.extf", Operands: []mlir.Value{value}, Results: []mlir.Type{tensor}}},
			{"linalg.transpose needs 2 operands and a permutation that is not empty", mlir.OperationState{
				Name: "linalg.transpose", Operands: []mlir.Value{scalar, scalar}, Results: []mlir.Type{scalar.Type()},
				Regions: []mlir.Region{body(c)}, Attributes: []mlir.NamedAttribute{
					{Name: "permutation", Value: mlir.NewDenseArray[int64](c)}}}},
			{"linalg.copy needs an output", mlir.OperationState{Name: "linalg.copy", Operands: []mlir.Value{value},
				Regions: []mlir.Region{c.NewRegion()}, Attributes: []mlir.NamedAttribute{
					{Name: "operandSegmentSizes", Value: mlir.NewDenseArray[int32](c, 1, 0)}}}},
			{"linalg.div_unsigned needs operands and results that have a rank", mlir.OperationState{
				Name: "linalg.div_unsigned", Operands: []mlir.Value{unranked}, Regions: []mlir.Region{body(c)}}},
			{"linalg.matmul needs an affine map in its indexing_maps for each operand", mlir.OperationState{
				Name: "linalg.matmul", Operands: []mlir.Value{value, value, value}, Results: []mlir.Type{tensor},
				Regions: []mlir.Region{c.NewRegion()}, Attributes: []mlir.NamedAttribute{
					{Name: "operandSegmentSizes", Value: mlir.NewDenseArray[int32](c, 2, 1)},
					{Name: "indexing_maps", Value: c.ArrayAttribute()}}}},
			{"linalg.square needs a body with an argument for each operand", mlir.OperationState{Name: "linalg.square",
				Operands: []mlir.Value{value, value}, Regions: []mlir.Region{body(c)}}},
			{"tensor.from_elements needs 6 operands", mlir.OperationState{Name: "tensor.from_elements",
				Operands: []mlir.Value{number}, Results: []mlir.Type{tensor}}},
			{"tensor.concat needs a dim that its operands have", mlir.OperationState{Name: "tensor.concat",
				Operands: []mlir.Value{value}, Results: []mlir.Type{tensor}, Attributes: []mlir.NamedAttribute{
					{Name: "dim", Value: c.IntegerAttribute(c.IntegerType(64, mlir.Signless), -1)}}}},
			{"tosa.reduce_any needs an axis that its operands have", mlir.OperationState{Name: "tosa.reduce_any",
				Operands: []mlir.Value{value}, Results: []mlir.Type{tensor}, Attributes: []mlir.NamedAttribute{
					{Name: "axis", Value: c.IntegerAttribute(i32, 2)}}}},
			{"amdgpu.dpp needs operands that are integers or floating-point numbers", mlir.OperationState{
				Name: "amdgpu.dpp", Operands: []mlir.Value{value, value}, Results: []mlir.Type{tensor},
				Attributes: []mlir.NamedAttribute{{Name: "kind", Value: c.StringAttribute("wave_rol")}}}},
			{"acc.kernel_environment needs a number in its waitOperandsSegments for each", mlir.OperationState{
				Name: "acc.kernel_environment", Regions: []mlir.Region{body(c)}, Attributes: []mlir.NamedAttribute{
					{Name: "waitOperandsSegments", Value: mlir.NewDenseArray[int32](c, 1)}}}},
			{"tt.expand_dims needs an axis that its result has", mlir.OperationState{Name: "tt.expand_dims",
				Operands: []mlir.Value{value}, Results: []mlir.Type{tensor}, Attributes: []mlir.NamedAttribute{
					{Name: "axis", Value: c.IntegerAttribute(i32, -1)}}}},
			{"spirv.AtomicIIncrement needs a pointer as its first operand", mlir.OperationState{
				Name: "spirv.AtomicIIncrement", Operands: []mlir.Value{number}, Results: []mlir.Type{i32}}},
			{"spirv.Tosa.Abs needs operands and results of type !spirv.arm.tensor", mlir.OperationState{
				Name: "spirv.Tosa.Abs", Operands: []mlir.Value{value}, Results: []mlir.Type{tensor}}},
			{"math.isnan needs floating-point numbers, or tensors or vectors of them", mlir.OperationState{
				Name: "math.isnan", Operands: []mlir.Value{buffer}, InferResults: true}},
			{"", mlir.OperationState{Name: "math.isnan", Operands: []mlir.Value{value}, InferResults: true}},
			{"spirv.Load needs a pointer as its first operand", mlir.OperationState{
				Name: "spirv.Load", Operands: []mlir.Value{number}, Results: []mlir.Type{i32}}},
		} {
			o, err := mlir.Create(c, test.s)
			switch known := c.Registered(test.s.Name); {
			case !known:
				check.Error(t, err, "does not know the operation")
			case test.want != "":
				check.Error(t, err, "mlir: "+test.want)
			case err != nil:
				t.Error(err)
			default:
				_ = o.Verify()
				_ = o.String()
			}
		}
	})
}

// body returns a region of one block without a terminator.
func body(c *mlir.Context) mlir.Region {
	region := c.NewRegion()
	region.Append(c.NewBlock(mlir.Location{}))
	return region
}
