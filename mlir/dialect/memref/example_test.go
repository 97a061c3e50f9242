package memref_test

import (
	"fmt"
	"log"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// This example loads an element of a part of a buffer. One offset is computed.
func Example() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	function.Func(b, "corner", []mlir.Type{b.Type("memref<8x8xf32>")}, []mlir.Type{c.F32Type()}, func(in []mlir.Value) {
		row := arith.ConstantIndex(b, 2)
		part := memref.SubView(b, in[0], []mlir.Size{mlir.Computed(row), mlir.Fixed(4)}, mlir.FixedSizes(4, 4), nil)
		function.Return(b, memref.Load(b, part, row, row))
	})
	if b.Fail(m.Verify()); b.Err() != nil {
		log.Fatal(b.Err())
	}
	fmt.Print(m)
	// Output:
	// module {
	//   func.func @corner(%arg0: memref<8x8xf32>) -> f32 {
	//     %c2 = arith.constant 2 : index
	//     %subview = memref.subview %arg0[%c2, 4] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: ?>>
	//     %0 = memref.load %subview[%c2, %c2] : memref<4x4xf32, strided<[8, 1], offset: ?>>
	//     return %0 : f32
	//   }
	// }
}
