package mlir_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestLargeGroups checks that groups of devices which the verifiers would look at for ever are refused
// in text, in bytecode and by Create.
func TestLargeGroups(t *testing.T) {
	const reduce = `func.func @main(%%a: tensor<4xf32>) -> tensor<4xf32> {
  %%0 = "stablehlo.all_reduce"(%%a) <{replica_groups = %s}> ({
  ^bb0(%%x: tensor<f32>, %%y: tensor<f32>):
    stablehlo.return %%x : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %%0 : tensor<4xf32>
}
`
	const permute = `func.func @main(%%a: tensor<4xf32>) -> tensor<4xf32> {
  %%0 = "stablehlo.collective_permute"(%%a) {source_target_pairs = %s} : (tensor<4xf32>) -> tensor<4xf32>
  return %%0 : tensor<4xf32>
}
`
	const large = "tensor<9223372036854775807x1xi64>"
	c := mlirtest.Context(t)
	for _, text := range []string{
		fmt.Sprintf(reduce, "dense<-1> : "+large),
		fmt.Sprintf(reduce, "dense<0> : tensor<4096x 4097xi64>"),
		"#g = dense<-1> : " + large + "\n" + fmt.Sprintf(reduce, "#g"),
		"!t = " + large + "\n" + fmt.Sprintf(reduce, "dense<-1> : !t"),
		"!t = " + large + "\n#g = dense<-1> : !t\n" + fmt.Sprintf(reduce, "#g"),
		fmt.Sprintf(permute, "dense<0> : tensor<9000000000x2xi64>"),
	} {
		_, err := c.Parse("", []byte(text))
		check.Error(t, err, "its groups of devices have more than 16777216 numbers")
	}
	for _, text := range []string{
		fmt.Sprintf(reduce, "dense<0> : tensor<1x1xi64>"),
		"#g = dense<0> : tensor<1x1xi64>\n#h = dense<0> : tensor<4096x8192xi64>\n" + fmt.Sprintf(reduce, "#g"),
	} {
		_, err := c.Parse("", []byte(text))
		check.NoError(t, err)
	}

	// 8191 and 2047 are FA FF and FA 3F in bytecode.
	data, err := mlirtest.Parse(t, c, fmt.Sprintf(reduce, "dense<-1> : tensor<8191x2047xi64>")).Bytecode()
	check.NoError(t, err)
	_, err = c.Parse("", data)
	check.NoError(t, err)
	data = bytes.Replace(data, []byte("\xfa\xff\xfa\x3f"), []byte("\xfa\xff\xfa\xff"), 1)
	_, err = c.Parse("", data)
	check.Error(t, err, "its groups of devices have more than 16777216 numbers")

	operand := c.NewBlock(mlir.Location{}, mlirtest.Type(c, "tensor<4xf32>")).Argument(0)
	for _, name := range []string{
		"all_gather", "all_reduce", "all_to_all", "collective_broadcast", "collective_permute", "reduce_scatter",
	} {
		attribute := "replica_groups"
		if name == "collective_permute" {
			attribute = "source_target_pairs"
		}
		_, err := mlir.Create(c, mlir.OperationState{Name: "stablehlo." + name, Operands: []mlir.Value{operand},
			Results:    []mlir.Type{operand.Type()},
			Attributes: []mlir.NamedAttribute{{Name: attribute, Value: mlirtest.Attribute(c, "dense<0> : "+large)}}})
		check.Error(t, err, "needs groups of at most 16777216 numbers: the library would crash on it")
	}
}
