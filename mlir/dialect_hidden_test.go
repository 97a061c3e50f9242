package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestHiddenDialects names dialects that the default library contains but does not register,
// each one first in a new context.
func TestHiddenDialects(t *testing.T) {
	l := mlirtest.Library(t)
	c := mlirtest.ContextOf(t, l)
	chloModule, err := mlirtest.Parse(t, c, `func.func @f(%a: tensor<f32>) -> tensor<f32> { %0 = chlo.tan %a : tensor<f32> -> tensor<f32> return %0 : tensor<f32> }`).Bytecode()
	check.NoError(t, err)
	tests := []struct {
		name string
		use  func(c *mlir.Context) error
	}{
		{"quant", func(c *mlir.Context) error { return c.LoadDialect("quant") }},
		{"chlo", func(c *mlir.Context) error { return c.LoadDialect("chlo") }},
		{"vhlo", func(c *mlir.Context) error { return c.LoadDialect("vhlo") }},
		{"torch", func(c *mlir.Context) error { return c.LoadDialect("torch") }},
		{"torch_c", func(c *mlir.Context) error { return c.LoadDialect("torch_c") }},
		{"tm_tensor", func(c *mlir.Context) error { return c.LoadDialect("tm_tensor") }},
		{"attribute of chlo", func(c *mlir.Context) error {
			_, err := c.ParseAttribute("#chlo<comparison_direction EQ>")
			return err
		}},
		{"type of vhlo",
			func(c *mlir.Context) error { _, err := c.ParseType("!vhlo.tensor_v1<!vhlo.f32_v1>"); return err }},
		{"type of torch",
			func(c *mlir.Context) error { _, err := c.ParseType("!torch.vtensor<[2,3],f32>"); return err }},
		{"type of torch within another", func(c *mlir.Context) error {
			_, err := c.ParseType("tuple<!torch<int>>")
			return err
		}},
		{"bytecode with chlo", func(c *mlir.Context) error { _, err := c.Parse("", chloModule); return err }},
		{"operation of torch", func(c *mlir.Context) error {
			_, err := c.ParseOperation("", []byte(`"torch.constant.int"() {value = 1 : i64} : () -> !torch.int`))
			return err
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := mlirtest.ContextOf(t, l)
			check.Diff(t, "loaded dialects of a new context", 1, c.NumLoaded())
			check.NoError(t, test.use(c))
		})
	}
	for _, name := range []string{"chlo.mulhi", "vhlo.add_v1", "quant.dcast", "torch.aten.add.Tensor", "torch_c.to_i64",
		"tm_tensor.scan"} {
		if !mlirtest.ContextOf(t, l).Registered(name) {
			t.Errorf("%s is not registered", name)
		}
	}
	for _, name := range []string{"mhlo", "torchx"} {
		if mlirtest.ContextOf(t, l).LoadDialect(name) == nil {
			t.Errorf("the library has a dialect %s", name)
		}
	}
}

// TestTorchPasses lowers an operation of the torch dialect to StableHLO.
func TestTorchPasses(t *testing.T) {
	c := mlirtest.Context(t)
	m := mlirtest.Parse(t, c, `func.func @f(%a: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> {
  %0 = torch.aten.tanh %a : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  return %0 : !torch.vtensor<[2],f32>
}`)
	p, err := c.NewPassManager(
		mlir.PassManagerOptions{Pipeline: "builtin.module(torch-backend-to-stablehlo-backend-pipeline)"})
	check.NoError(t, err)
	check.Cleanup(t, p)
	check.NoError(t, p.Run(m))
	check.Diff(t, "operations of StableHLO", 1, len(mlirtest.Find(m, "stablehlo.tanh")))
}
