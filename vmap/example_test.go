package vmap_test

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/vmap"
)

// The function behind the custom call @shop_price takes any shape, so that one call serves a batch.
func ExampleRegisterTarget() {
	must(vmap.RegisterTarget("shop_price",
		func(b *mlir.Builder, op mlir.Operation, operands []mlir.Value) []mlir.Value {
			call, _ := stablehlo.AsCustomCall(op)
			call.Operands, call.Results = operands, mlir.TypesOf(operands)
			return call.Create(b).ResultValues()
		}))
	c := must1(mlir.Open(mlir.OpenOptions{})).NewContext(mlir.ContextOptions{})
	defer c.Close()
	m := must1(c.Parse("shop.mlir", []byte(`func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
		%y = stablehlo.custom_call @shop_price(%x) {api_version = 4 : i32} : (tensor<2xf32>) -> tensor<2xf32>
		return %y : tensor<2xf32>
	}`)))
	f, _ := m.SymbolTable().Lookup("f")
	fmt.Println(must1(vmap.Batch(f, vmap.Options{Size: 3})))
	// Output:
	// func.func @f.batch(%arg0: tensor<3x2xf32>) -> tensor<3x2xf32> {
	//   %0 = stablehlo.custom_call @shop_price(%arg0) {api_version = 4 : i32} : (tensor<3x2xf32>) -> tensor<3x2xf32>
	//   return %0 : tensor<3x2xf32>
	// }
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func must1[T any](v T, err error) T {
	must(err)
	return v
}
