// Loopnest builds a product of matrices from loops and loads, and prints it.
package main

import (
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
)

func main() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	matrix := b.Type("memref<4x4xf32>")
	function.Func(b, "matmul", []mlir.Type{matrix, matrix, matrix}, nil, func(in []mlir.Value) {
		scf.Nest(b, []int64{4, 4, 4}, func(i []mlir.Value) {
			product := arith.MulF(b, memref.Load(b, in[0], i[0], i[2]), memref.Load(b, in[1], i[2], i[1]))
			memref.Store(b, arith.AddF(b, memref.Load(b, in[2], i[0], i[1]), product), in[2], i[0], i[1])
		})
		function.Return(b)
	})
	if b.Fail(m.Verify()); b.Err() != nil {
		log.Fatal(b.Err())
	}
	fmt.Print(m)
}
