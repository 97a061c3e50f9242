// Gpu builds a kernel that adds vectors and prints its PTX, and runs its twin for the host, of
// the same Go function. It needs upstream LLVM's library, which compiles for both.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/gpu"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
	"github.com/calliope-mlir/calliope/mlir/execution"
	"github.com/calliope-mlir/calliope/native"
)

func main() {
	found, err := native.Ensure(context.Background(), native.LLVM, native.EnsureOptions{})
	must(err)
	library, err := mlir.Open(mlir.OpenOptions{Path: found.Path})
	must(err)
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	kernel := build(c, func(b *mlir.Builder, one, n mlir.Value, body func(i mlir.Value)) {
		gpu.Launch(b, [3]mlir.Value{one, one, one}, [3]mlir.Value{n, one, one}, func(at gpu.Launched) { body(at.Thread[0]) })
	})
	run(kernel, "gpu-kernel-outlining,nvvm-attach-target,gpu.module(convert-gpu-to-nvvm,reconcile-unrealized-casts),gpu-module-to-binary{format=isa}")
	for op := range kernel.Body().Operations() {
		if binary, ok := gpu.AsBinary(op); ok {
			object, err := gpu.ReadObject(binary.Objects[0])
			must(err)
			fmt.Printf("%s", object.Data)
		}
	}
	twin := build(c, func(b *mlir.Builder, one, n mlir.Value, body func(i mlir.Value)) {
		scf.For(b, arith.ConstantIndex(b, 0), n, one, body)
	})
	run(twin, "convert-scf-to-cf,finalize-memref-to-llvm,convert-func-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts")
	engine, err := execution.New(twin, execution.Options{})
	must(err)
	defer engine.Close()
	x, y, sum := make([]float32, 128), make([]float32, 128), make([]float32, 128)
	for i := range x {
		x[i], y[i] = float32(i), 2
	}
	must(engine.Invoke("add", nil, execution.NewMemRef(x, 128), execution.NewMemRef(y, 128), execution.NewMemRef(sum, 128)))
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
	b.Fail(m.Verify())
	must(b.Err())
	return m
}

func run(m *mlir.Module, pipeline string) {
	passes, err := m.Context().NewPassManager(mlir.PassManagerOptions{Pipeline: "builtin.module(" + pipeline + ")"})
	must(err)
	defer passes.Close()
	must(passes.Run(m))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
