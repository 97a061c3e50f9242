// Gpu builds a kernel that adds vectors and prints its PTX, and runs its twin for the host, of
// the same Go function. It needs upstream LLVM's library, which compiles for both.
package main

import (
	"fmt"
	"log"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/gpu"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
	"github.com/calliope-mlir/calliope/mlir/execution"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/passes"
)

func main() {
	library, err := mlir.Open(mlir.OpenOptions{Part: native.LLVM})
	must(err)
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	kernel := build(c, func(b *mlir.Builder, one, n mlir.Value, body func(i mlir.Value)) {
		gpu.Launch(b, [3]mlir.Value{one, one, one}, [3]mlir.Value{n, one, one},
			func(at gpu.Launched) { body(at.Thread[0]) })
	})
	must(passes.RunGuarded(kernel, "builtin.module(gpu-kernel-outlining,nvvm-attach-target,gpu.module(convert-gpu-to-nvvm,reconcile-unrealized-casts),gpu-module-to-binary{format=isa})"))
	compiled, _ := kernel.SymbolTable().Lookup("add_kernel")
	objects, err := gpu.Objects(compiled)
	must(err)
	fmt.Printf("%s", objects[0].Data)
	twin := build(c, func(b *mlir.Builder, one, n mlir.Value, body func(i mlir.Value)) {
		scf.For(b, arith.ConstantIndex(b, 0), n, one, body)
	})
	must(passes.RunGuarded(twin, "builtin.module(convert-scf-to-cf,finalize-memref-to-llvm,convert-func-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)"))
	program, err := execution.New(twin, execution.Options{})
	must(err)
	defer program.Close()
	x, y, sum := slices.Repeat([]float32{0, 1, 2, 3}, 32), slices.Repeat([]float32{2}, 128), make([]float32, 128)
	must(program.Invoke("add", nil, execution.NewMemRef(x, 128), execution.NewMemRef(y, 128),
		execution.NewMemRef(sum, 128)))
	fmt.Println(sum[:4])
}

// build returns a module with the function add. loop creates the loop over the n elements.
func build(c *mlir.Context, loop func(b *mlir.Builder, one, n mlir.Value, body func(i mlir.Value))) *mlir.Module {
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	m.Operation().SetAttribute("gpu.container_module", c.UnitAttribute())
	vector := b.Type("memref<128xf32>")
	add := function.Func(b, "add", []mlir.Type{vector, vector, vector}, nil, func(in []mlir.Value) {
		loop(b, arith.ConstantIndex(b, 1), arith.ConstantIndex(b, 128), func(i mlir.Value) {
			memref.Store(b, arith.AddF(b, memref.Load(b, in[0], i), memref.Load(b, in[1], i)), in[2], i)
		})
		function.Return(b)
	})
	add.SetAttribute("llvm.emit_c_interface", c.UnitAttribute())
	must(b.Err())
	return m
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
