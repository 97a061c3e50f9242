package passes_test

import (
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/passes/order"
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
	for _, l := range result.Skipped {
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

// Two taps take the same token, so nothing orders them. The second one must take the token that
// the first one returns.
func ExampleUnordered() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m, err := c.Parse("taps.mlir", []byte(`
func.func @main(%x: tensor<4xf32>) {
  %t = stablehlo.constant dense<0> : tensor<1xi8>
  %0 = stablehlo.custom_call @calliope_io_callback(%x, %t) {api_version = 4 : i32, has_side_effect = true,
    backend_config = {v = 1 : i64, form = "observe", callback = "first", effect = "log", n_tokens = 1 : i64}} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
  %1 = stablehlo.custom_call @calliope_io_callback(%x, %t) {api_version = 4 : i32, has_side_effect = true,
    backend_config = {v = 1 : i64, form = "observe", callback = "second", effect = "log", n_tokens = 1 : i64}} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
  return
}`))
	if err != nil {
		log.Fatal(err)
	}
	result, err := order.Unordered(m, order.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, pair := range result.Pairs {
		fmt.Println(pair)
		pair.Second.Op.SetOperand(1, pair.First.Op.Result(0))
	}
	result, err = order.Unordered(m, order.Options{})
	fmt.Println(result.Total, err)
	// Output:
	// callback "second" at taps.mlir:6:8 does not depend on callback "first" at taps.mlir:4:8, which is before it (effect "log")
	// 0 <nil>
}

// A pipeline that makes main private, and then removes it, loses its calls.
func ExampleRunGuarded() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m, err := c.Parse("call.mlir", []byte(`
func.func @main(%x: tensor<4xf32>) {
  stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<4xf32>) -> ()
  return
}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(passes.RunGuarded(m, "builtin.module(symbol-privatize,symbol-dce)"))
	fmt.Println(passes.RunGuarded(m, "builtin.module(canonicalize,cse,symbol-dce)"))
	// Output:
	// passes: the rewriting lost calls with side effects: @log at call.mlir:3:3: 0 calls are left of 1
	// <nil>
}
