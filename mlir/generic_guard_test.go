package mlir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// TestGenericGuard checks that text in generic form is refused on which the verifier or the printer would crash, and
// that similar text is parsed.
func TestGenericGuard(t *testing.T) {
	const image = `!spirv.image<f32, Dim2D, NoDepth, NonArrayed, SingleSampled, NeedSampler, Unknown>`
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		for _, test := range []struct{ operation, types, want string }{
			{`"spirv.Tosa.Tile"(%a, %a) : (f32, f32) -> f32`, "f32", "operands and results of type !spirv.arm.tensor"},
			{`"spirv.Tosa.Reshape"(%a, %a) : (` + image + ", " + image + ") -> " + image, image, "!spirv.arm.tensor"},
			{`"async.await"(%a) : (!async.value<f32>) -> ()`, "!async.value<f32>", "a result for the value"},
			{`"async.await"(%a) : (!async.token) -> ()`, "!async.token", ""},
			{"\"llvm.indirectbr\"(%a)[^bb1] <{indbr_operand_segments = array<i32>}> : (!llvm.ptr) -> ()\n^bb1:", "!llvm.ptr",
				"a number in its indbr_operand_segments"},
			{`"acc.reduction_init"(%a) <{reductionOperator = #acc.reduction_operator<add>}> ({
    }) : (memref<2xf32>) -> memref<2xf32>`, "memref<2xf32>", "a region that has a block"},
			{`"ptr.get_metadata"(%a) : (!ptr.ptr<#ptr.generic_space>) -> !ptr.ptr_metadata<memref<f32>>`,
				"!ptr.ptr<#ptr.generic_space>", "a pointer with metadata"},
			{`"shard.shard_shape"(%a) <{device = array<i64>, dims = array<i64: 1>, operandSegmentSizes = array<i32: 0, 1, 0>}> : (!shard.sharding) -> ()`,
				"!shard.sharding", "a device, and a result"},
			{`"spirv.EXT.ConstantCompositeReplicate"() <{value = 1.0 : f32}> : () -> !spirv.struct<()>`, "f32",
				"a result that has elements"},
			{`"transform.structured.tile_using_for"(%a) : (!transform.any_op) -> !transform.any_op`, "!transform.any_op",
				"mlir.Dynamic"},
			{`"arith.extf"(%a) : (tensor<*xf32>) -> tensor<*xf32>`, "tensor<*xf32>", "a tensor with a rank"},
			{`"arith.extf"(%a) : (f32) -> f64`, "f32", ""},
		} {
			name, _, _ := strings.Cut(test.operation[1:], `"`)
			if !c.Registered(name) {
				continue
			}
			result := "%r = "
			if strings.Contains(test.operation, "-> ()") {
				result = ""
			}
			text := fmt.Sprintf(`"func.func"() <{function_type = (%[1]s) -> (), sym_name = "f"}> ({
^bb0(%%a: %[1]s):
  %[2]s%[3]s
  "func.return"() : () -> ()
}) : () -> ()`, test.types, result, test.operation)
			_, err := c.Parse("", []byte(text))
			if test.want == "" {
				check.NoError(t, err)
				continue
			}
			check.Error(t, err, "mlir: parse failed: -:3:", "'"+name+"' op needs ", test.want)
			_, err = c.ParseOperation("", []byte(text))
			check.Error(t, err, test.want)
		}
		for _, empty := range []func(){
			func() { c.SymbolAttribute("") },
			func() { c.NestedSymbolAttribute("a", "") },
			func() { c.NestedSymbolAttribute("") },
		} {
			check.Panics(t, "was given an empty name", empty)
		}
	})
}
