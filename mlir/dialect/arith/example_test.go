package arith_test

import (
	"fmt"
	"log"
	"testing"

	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

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
