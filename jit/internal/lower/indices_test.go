package lower_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// TestIndices has indices with the highest bit of each type, which is no sign of unsigned ones.
func TestIndices(t *testing.T) {
	var body, results, types []string
	for of, value := range map[string]string{"ui8": "200", "ui16": "65535", "ui32": "4294967295",
		"ui64": "9223372036854775808", "i8": "-128", "i64": "9223372036854775807"} {
		of := strings.NewReplacer("OF", of, "VALUE", value)
		body = append(body, of.Replace(`
			%iOF = stablehlo.constant dense<VALUE> : tensor<OF>
			%jOF = stablehlo.optimization_barrier %iOF : tensor<OF>
			%kOF = stablehlo.reshape %jOF : (tensor<OF>) -> tensor<1xOF>
			%aOF = stablehlo.dynamic_slice %x, %jOF, sizes = [2] : (tensor<300xi32>, tensor<OF>) -> tensor<2xi32>
			%bOF = stablehlo.dynamic_update_slice %x, %u, %jOF
				: (tensor<300xi32>, tensor<1xi32>, tensor<OF>) -> tensor<300xi32>
			%cOF = "stablehlo.gather"(%x, %kOF) <{dimension_numbers = #stablehlo.gather<offset_dims = [0],
				start_index_map = [0]>, slice_sizes = array<i64: 2>}> : (tensor<300xi32>, tensor<1xOF>) -> tensor<2xi32>
			%dOF = "stablehlo.scatter"(%x, %kOF, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
				update_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
			^bb0(%p: tensor<i32>, %q: tensor<i32>):
				stablehlo.return %q : tensor<i32>
			}) : (tensor<300xi32>, tensor<1xOF>, tensor<1xi32>) -> tensor<300xi32>`))
		results = append(results, of.Replace("%aOF, %bOF, %cOF, %dOF"))
		types = append(types, "tensor<2xi32>, tensor<300xi32>, tensor<2xi32>, tensor<300xi32>")
	}
	// XLA and the interpreter take small unsigned ones for signed, so the same indices in i64 tell what is right.
	all := strings.Join(types, ", ")
	p := program{name: "all", text: function("%x: tensor<300xi32>, %u: tensor<1xi32>", all,
		strings.Join(body, "")+"\nreturn "+strings.Join(results, ", ")+" : "+all)}
	wide := strings.NewReplacer("<ui8>", "<i64>", "xui8>", "xi64>", "<ui16>", "<i64>", "xui16>", "xi64>",
		"<ui32>", "<i64>", "xui32>", "xi64>", "<ui64>", "<i64>", "xui64>", "xi64>", "9223372036854775808",
		"9223372036854775807")
	m := mlirtest.Parse(t, mlirtest.Context(t), p.text)
	got, inputs := p.run(t, m)
	m = mlirtest.Parse(t, mlirtest.Context(t), wide.Replace(p.text))
	compare(t, 0, check.Must(stablehlo.Evaluate(m, inputs...)), got)
}
