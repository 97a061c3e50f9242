package stablehlo

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestPasses runs each pass on a module that it changes. If the change needs a dialect that
// the library lacks, the module stays unchanged.
func TestPasses(t *testing.T) {
	plain := `func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { %0 = stablehlo.add %a, %a : tensor<4xf32>
		return %0 : tensor<4xf32> }`
	tests := map[string]struct{ options, module, want string }{
		"chlo-legalize-to-stablehlo": {"", `func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<4xf32> {
			%0 = chlo.broadcast_add %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
			return %0 : tensor<4xf32> }`, "stablehlo.add"},
		"shape-legalize-to-stablehlo": {"", `func.func @main(%a: tensor<?xf32>) -> tensor<1xi32> {
			%0 = shape.shape_of %a : tensor<?xf32> -> tensor<1xindex>
			%1 = arith.index_cast %0 : tensor<1xindex> to tensor<1xi32>
			return %1 : tensor<1xi32> }`, "stablehlo.get_dimension_size"},
		"stablehlo-canonicalize-dynamism": {"", `func.func @main(%a: tensor<4xf32>) -> tensor<2x2xf32> {
			%s = stablehlo.constant dense<2> : tensor<2xi32>
			%0 = stablehlo.dynamic_reshape %a, %s : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x2xf32>
			return %0 : tensor<2x2xf32> }`, "stablehlo.reshape"},
		"stablehlo-compatibility-expander": {"target=1.0.0", `func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
			%0 = stablehlo.tan %a : tensor<4xf32>
			return %0 : tensor<4xf32> }`, "stablehlo.divide"},
		"stablehlo-complex-math-expander": {"", `func.func @main(%a: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
			%0 = stablehlo.log_plus_one %a : tensor<4xcomplex<f32>>
			return %0 : tensor<4xcomplex<f32>> }`, "stablehlo.real"},
		"stablehlo-convert-to-signless": {"",
			`func.func @main(%a: tensor<4xui32>) -> tensor<4xui32> { return %a : tensor<4xui32> }`, "tensor<4xi32>"},
		"stablehlo-legalize-composite-to-call": {"", `func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
			%0 = stablehlo.composite "x.y" %a {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
			return %0 : tensor<4xf32> }
			func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }`, "call @f"},
		"stablehlo-legalize-deprecated-ops": {"", `func.func @main(%a: tensor<4xf32>) -> tensor<2x4xf32> {
			%0 = stablehlo.broadcast %a, sizes = [2] : (tensor<4xf32>) -> tensor<2x4xf32>
			return %0 : tensor<2x4xf32> }`, "stablehlo.broadcast_in_dim"},
		"stablehlo-legalize-qdq-to-quantized-op": {"", plain, "stablehlo.add"},
		"stablehlo-legalize-quant-to-math":       {"", plain, "stablehlo.add"},
		"stablehlo-legalize-quantized-op-to-qdq": {"", plain, "stablehlo.add"},
		"stablehlo-legalize-to-linalg":           {"", plain, "linalg."},
		"stablehlo-legalize-to-vhlo":             {"", plain, "vhlo.add_v1"},
		"stablehlo-refine-arguments": {"types=tensor<4xf32>",
			`func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> { return %a : tensor<?xf32> }`,
			"tensor<4xf32>"},
		"stablehlo-refine-shapes": {"", `func.func @main(%a: tensor<4xf32>) -> tensor<?xf32> {
			%0 = stablehlo.add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<?xf32>
			return %0 : tensor<?xf32> }`, "-> tensor<4xf32>"},
		"vhlo-legalize-to-stablehlo": {"", plain, "stablehlo.add"},
		"vhlo-to-version":            {"target=1.0.0", plain, "stablehlo.add"},
	}
	c := mlirtest.Context(t)
	for _, p := range Passes() {
		t.Run(p.Name, func(t *testing.T) {
			test, ok := tests[p.Name]
			if !ok {
				t.Fatal("there is no test")
			}
			got := runPass(t, c, p, test.options, test.module)
			if !strings.Contains(got, test.want) {
				t.Errorf("the result lacks %q:\n%s", test.want, got)
			}
		})
	}
	// To the versioned dialect and back.
	var byName = map[string]Pass{}
	for _, p := range Passes() {
		byName[p.Name] = p
	}
	versioned := runPass(t, c, byName["stablehlo-legalize-to-vhlo"], "", plain)
	old := runPass(t, c, byName["vhlo-to-version"], "target=1.0.0", versioned)
	check.Diff(t, "there and back", runPass(t, c, byName["stablehlo-convert-to-signless"], "", plain),
		runPass(t, c, byName["vhlo-legalize-to-stablehlo"], "", old))
}

// runPass returns the text of a module after a pass.
func runPass(t *testing.T, c *mlir.Context, p Pass, options, module string) string {
	t.Helper()
	m := mlirtest.Parse(t, c, module)
	defer m.Close()
	pm, err := c.NewPassManager(mlir.PassManagerOptions{Pipeline: p.Pipeline(options)})
	check.NoError(t, err)
	defer pm.Close()
	check.NoError(t, pm.Run(m))
	return m.String()
}
