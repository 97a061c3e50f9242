package cf_test

import (
	"fmt"
	"log"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/cf"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// This example branches to blocks.
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
	function.Func(b, "abs", []mlir.Type{i32}, []mlir.Type{i32}, func(in []mlir.Value) {
		zero := arith.ConstantInt(b, i32, 0)
		negative := arith.CmpI(b, arith.CmpIPredicateSlt, in[0], zero)
		negate, done := b.Block(), b.Block(i32)
		cf.CondBranch(b, negative, nil, in, negate, done)
		b.In(negate, func() { cf.Branch(b, []mlir.Value{arith.SubI(b, zero, in[0])}, done) })
		b.In(done, func() { function.Return(b, done.Argument(0)) })
	})
	if b.Fail(m.Verify()); b.Err() != nil {
		log.Fatal(b.Err())
	}
	fmt.Print(m)
	// Output:
	// module {
	//   func.func @abs(%arg0: i32) -> i32 {
	//     %c0_i32 = arith.constant 0 : i32
	//     %0 = arith.cmpi slt, %arg0, %c0_i32 : i32
	//     cf.cond_br %0, ^bb1, ^bb2(%arg0 : i32)
	//   ^bb1:  // pred: ^bb0
	//     %1 = arith.subi %c0_i32, %arg0 : i32
	//     cf.br ^bb2(%1 : i32)
	//   ^bb2(%2: i32):  // 2 preds: ^bb0, ^bb1
	//     return %2 : i32
	//   }
	// }
}
