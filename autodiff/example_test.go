package autodiff_test

import (
	"fmt"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/define"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// The operation shop.square is of a dialect that is defined in Go. Its derivative is 2x.
func ExampleRegister() {
	rule := autodiff.Rule{JVP: func(b *mlir.Builder, op mlir.Operation, tangents []mlir.Value) []mlir.Value {
		x := op.Operand(0)
		return []mlir.Value{stablehlo.Multiply(b, tangents[0], stablehlo.Add(b, x, x))}
	}}
	must(autodiff.Register("shop.square", rule))
	fmt.Println(autodiff.Register("shop.square", rule))

	c := must1(mlir.Open(mlir.OpenOptions{})).NewContext(mlir.ContextOptions{})
	defer c.Close()
	must(define.Dialect{Name: "shop", Operations: []define.Operation{{
		Name: "square", Operands: []define.Part{{Name: "x"}}, Results: []define.Part{{Name: "y"}},
	}}}.Load(c))
	m := must1(c.Parse("shop.mlir", []byte(`func.func @f(%x: tensor<f64>) -> tensor<f64> {
		%y = "shop.square"(%x) : (tensor<f64>) -> tensor<f64>
		return %y : tensor<f64>
	}`)))
	f, _ := m.SymbolTable().Lookup("f")
	fmt.Println(must1(autodiff.Grad(f, autodiff.Options{})))
	// Output:
	// autodiff: the operation "shop.square" has a rule already
	// func.func @f.grad(%arg0: tensor<f64>) -> tensor<f64> {
	//   %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
	//   %0 = stablehlo.add %arg0, %arg0 : tensor<f64>
	//   %1 = stablehlo.multiply %cst, %0 : tensor<f64>
	//   return %1 : tensor<f64>
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
