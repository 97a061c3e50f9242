// Schedule builds a linalg.matmul and a schedule of the dialect transform that tiles it, and
// prints the loops that result.
package main

import (
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/linalg"
	"github.com/calliope-mlir/calliope/mlir/dialect/transform"
	"github.com/calliope-mlir/calliope/passes"
)

func main() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m := c.NewModule(mlir.Location{})
	m.Operation().SetAttribute("transform.with_named_sequence", c.UnitAttribute())
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	matrix := b.Type("tensor<64x64xf32>")
	function.Func(b, "matmul", []mlir.Type{matrix, matrix, matrix}, []mlir.Type{matrix}, func(in []mlir.Value) {
		function.Return(b, linalg.Matmul(b, in[:2], in[2]).Result(0))
	})
	transform.Main(b, func(root mlir.Value) {
		transform.Tile(b, transform.Match(b, root, "linalg.matmul"), 8, 16)
	})
	if b.Fail(passes.RunGuarded(m, "builtin.module(transform-interpreter,canonicalize,cse)")); b.Err() != nil {
		log.Fatal(b.Err())
	}
	fmt.Println(m.Body().First())
}
