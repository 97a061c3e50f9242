package arith_test

import (
	"errors"
	"fmt"
	"log"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// This example builds constants of tensors. The builder keeps the error if elements do not fit their type.
func ExampleConstantDense() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	matrix := b.CheckedType(c.TensorType(c.F32Type(), 2, 2))
	function.Func(b, "shift", []mlir.Type{matrix}, []mlir.Type{matrix}, func(in []mlir.Value) {
		weights := arith.ConstantDense(b, matrix, []float32{1, 2, 3, 4})
		half := arith.ConstantFloat(b, matrix, 0.5)
		function.Return(b, arith.AddF(b, arith.MulF(b, in[0], weights), half))
	})
	if b.Fail(m.Verify()); b.Err() != nil {
		log.Fatal(b.Err())
	}
	fmt.Print(m)
	arith.ConstantDense(b, matrix, []float32{1, 2, 3})
	fmt.Println(errors.Unwrap(b.Err()))
	// Output:
	// module {
	//   func.func @shift(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32> {
	//     %cst = arith.constant dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
	//     %cst_0 = arith.constant dense<5.000000e-01> : tensor<2x2xf32>
	//     %0 = arith.mulf %arg0, %cst : tensor<2x2xf32>
	//     %1 = arith.addf %0, %cst_0 : tensor<2x2xf32>
	//     return %1 : tensor<2x2xf32>
	//   }
	// }
	// mlir: 3 values cannot fill tensor<2x2xf32>, which has 4 elements
}

// This example builds a comparison, whose result type is inferred, and a choice.
func Example() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	i32 := c.IntegerType(32, mlir.Signless)
	function.Func(b, "clip", []mlir.Type{i32}, []mlir.Type{i32}, func(in []mlir.Value) {
		limit := arith.ConstantInt(b, i32, 100)
		above := arith.CmpI(b, arith.CmpIPredicateSgt, in[0], limit)
		function.Return(b, arith.Select(b, above, limit, in[0]))
	})
	if b.Fail(m.Verify()); b.Err() != nil {
		log.Fatal(b.Err())
	}
	fmt.Print(m)
	// Output:
	// module {
	//   func.func @clip(%arg0: i32) -> i32 {
	//     %c100_i32 = arith.constant 100 : i32
	//     %0 = arith.cmpi sgt, %arg0, %c100_i32 : i32
	//     %1 = arith.select %0, %c100_i32, %arg0 : i32
	//     return %1 : i32
	//   }
	// }
}
