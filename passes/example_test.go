package passes_test

import (
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

// A program of EXLA that sends a value to hook 1 calls the callback hook_1 instead.
func ExampleMigrate() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m, err := c.Parse("hook.mlir", []byte(`
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %token = stablehlo.create_token : !stablehlo.token
  %flag = stablehlo.constant dense<1> : tensor<ui16>
  %0 = "stablehlo.outfeed"(%flag, %token) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token
  %1 = "stablehlo.outfeed"(%x, %0) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %end = stablehlo.constant dense<0> : tensor<ui16>
  %2 = "stablehlo.outfeed"(%end, %1) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token
  return %x : tensor<4xf32>
}`))
	if err != nil {
		log.Fatal(err)
	}
	result, err := passes.Migrate(m, passes.MigrateOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range result.Left {
		fmt.Println("left:", l)
	}
	for _, cb := range result.Callbacks {
		fmt.Println(cb.From, "is now", cb.Name)
	}
	for call := range callop.Calls(m) {
		fmt.Println(call.Config.Form, call.Op.Operand(0).Type())
	}
	// Output:
	// stablehlo.outfeed is now hook_1
	// observe tensor<4xf32>
}
