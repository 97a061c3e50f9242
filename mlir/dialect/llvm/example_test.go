package llvm_test

import (
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
)

// This example builds a function of the LLVM dialect.
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
	signature, err := llvm.Function{Result: i32, Params: []mlir.Type{i32}}.Type(c)
	if err != nil {
		log.Fatal(err)
	}
	llvm.FuncOp{SymName: "next", FunctionType: signature, Linkage: llvm.LinkageInternal,
		Body: b.Region(func(in []mlir.Value) {
			one := llvm.ConstantOp{ResType: i32, Value: c.IntegerAttribute(i32, 1)}.Create(b).Result(0)
			sum := llvm.AddOp{LHS: in[0], RHS: one, OverflowFlags: llvm.IntegerOverflowFlagsNsw}.Create(b).Result(0)
			llvm.ReturnOp{Arg: sum}.Create(b)
		}, i32)}.Create(b)
	if b.Fail(m.Verify()); b.Err() != nil {
		log.Fatal(b.Err())
	}
	fmt.Print(m)
	// Output:
	// module {
	//   llvm.func internal @next(%arg0: i32) -> i32 {
	//     %0 = llvm.mlir.constant(1 : i32) : i32
	//     %1 = llvm.add %arg0, %0 overflow<nsw> : i32
	//     llvm.return %1 : i32
	//   }
	// }
}
