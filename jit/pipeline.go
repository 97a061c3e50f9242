package jit

import (
	"errors"

	"github.com/calliope-mlir/calliope/jit/internal/callback"
	"github.com/calliope-mlir/calliope/jit/internal/lower"
	"github.com/calliope-mlir/calliope/jit/internal/product"
	"github.com/calliope-mlir/calliope/mlir"
)

// A step rewrites the module of an Executable. One of passes of the library has no name: each of them has.
type step struct {
	name string
	run  func(*mlir.Module, *Executable) error
}

// expansion leaves what other steps know in @main.
var expansion = []step{
	passes("func.func(stablehlo-legalize-composite-to-call)"),
	{"resolve-tuples", resolveTuples},
	{"fix-sizes", fixSizes},
	{"expand", func(m *mlir.Module, _ *Executable) error { return lower.Expand(m) }},
	{"expand-einsums", func(m *mlir.Module, _ *Executable) error { return lower.Einsums(m) }},
	passes(
		"func.func(chlo-legalize-to-stablehlo)",
		"func.func(stablehlo-legalize-deprecated-ops{fail-on-unused=0})",
		"func.func(stablehlo-complex-math-expander)",
	),
	{"inline-calls", inline},
	{"only-main", onlyMain},
	{"check-sizes", checkSizes},
	passes("canonicalize", "cse"),
}

// steps are what Compile does then, in order.
var steps = []step{
	{"drop-tokens", dropTokens},
	{"lower-products", func(m *mlir.Module, _ *Executable) error { return product.Lower(m) }},
	{"concatenate", concatenate},
	{"lower", func(m *mlir.Module, e *Executable) error { return lower.Replace(m, e.copies) }},
	passes("stablehlo-legalize-to-linalg", "reconcile-unrealized-casts"),
	{"lower-scalars", func(m *mlir.Module, _ *Executable) error { return lower.Finish(m) }},
	{"check-loops", func(m *mlir.Module, e *Executable) error { return e.calls.CheckLoops(m) }},
	{"give-buffers", giveBuffers},
	passes(
		"reconcile-unrealized-casts",
		"canonicalize", // without cse, which makes one of the tensors that results are computed in
		"func.func(linalg-generalize-named-ops)",
	),
	{"read-inputs", readInputs},
	passes("linalg-fuse-elementwise-ops"),
	{"store-once", storeOnce},
	passes(
		"eliminate-empty-tensors",
		"one-shot-bufferize{bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map}",
		"drop-equivalent-buffer-results",
		"func.func(linalg-generalize-named-ops)", // those of bufferization
		"canonicalize", "cse",
	),
	{"approximate", approximate},
	{"inline-calls", inline},
	{"copy-by-loops", copyByLoops},
	{"chain-loops", chainLoops},
	{"plan-memory", planMemory},
	{"add-laps", addLaps},
	{"make-loops", makeLoops},
	passes(
		"symbol-dce", // what was inlined
		"func.func(convert-linalg-to-affine-loops)",
		"func.func(affine-scalrep)",
	),
	{"share-loops", shareLoops},
	passes(
		"expand-strided-metadata",
		"lower-affine",
	),
	{"choose-level", chooseLevel},
	{"keep-loops", keepLoops},
	passes(
		"convert-scf-to-cf",
		"canonicalize",
		"convert-complex-to-standard",
		"math-extend-to-supported-types",
	),
	{"widen-integers", widenIntegers},
	passes(
		"arith-emulate-unsupported-floats{source-types=bf16,f8E5M2,f8E4M3,f8E3M4,f8E4M3FN,f8E5M2FNUZ,f8E4M3FNUZ," +
			"f8E4M3B11FNUZ,f4E2M1FN,f6E2M3FN,f6E3M2FN,f8E8M0FNU target-type=f32}",
	),
	{"keep-roundings", keepRoundings},
	{"convert-float8s", convertFloat8s},
	{"narrow-doubles", narrowDoubles},
	passes(
		"arith-expand{include-bf16=true}",
		"convert-math-to-llvm",
		"convert-complex-to-llvm",
		"convert-math-to-libm",
		"convert-vector-to-llvm",
		"finalize-memref-to-llvm",
		"convert-arith-to-llvm",
		"convert-index-to-llvm",
		"convert-func-to-llvm{use-bare-ptr-memref-call-conv=1}",
		"convert-cf-to-llvm",
		"convert-ub-to-llvm",
		"reconcile-unrealized-casts",
	),
	{"move-bits", moveBits},
	{"annotate", annotate},
	{"refuse", refuse},
}

// lowered are the dialects of which nothing is left at the end.
var lowered = []string{"affine", "arith", "bufferization", "cf", "complex", "func", "index", "linalg", "math", "memref",
	"scf", "tensor", "ub", "vector"}

// passes returns a step of passes of the library.
func passes(list ...string) step {
	return step{run: func(m *mlir.Module, e *Executable) error { return e.compiler.run(m, list...) }}
}

// resolveTuples leaves no tuples, if there are any.
func resolveTuples(m *mlir.Module, e *Executable) error {
	for op := range m.Operation().All() {
		if op.Name() != "stablehlo.tuple" && op.Name() != "stablehlo.get_tuple_element" {
			continue
		}
		if err := inline(m, e); err != nil {
			return err
		}
		return errors.Join(onlyMain(m, e), lower.Tuples(m))
	}
	return nil
}

// fixSizes makes static operations of those whose sizes are constant operands, if there are any.
func fixSizes(m *mlir.Module, e *Executable) error {
	if !m.Operation().Index().Has("stablehlo.dynamic_broadcast_in_dim", "stablehlo.dynamic_conv",
		"stablehlo.dynamic_gather", "stablehlo.dynamic_iota", "stablehlo.dynamic_pad", "stablehlo.dynamic_reshape",
		"stablehlo.real_dynamic_slice") {
		return nil
	}
	return e.compiler.run(m, "func.func(stablehlo-canonicalize-dynamism)")
}

// inline inlines the functions that main calls, if there are any.
func inline(m *mlir.Module, e *Executable) error {
	for op := range m.Operation().All() {
		if op.Name() == "func.call" {
			return e.compiler.run(m, "inline{default-pipeline=}")
		}
	}
	return nil
}

// onlyMain removes all functions but main.
func onlyMain(m *mlir.Module, _ *Executable) error {
	var others []mlir.Operation
	for op := range m.Body().Operations() {
		if name, _ := op.Symbol(); op.Name() == "func.func" && name != "main" {
			others = append(others, op)
		}
	}
	for _, op := range others {
		if err := op.Erase(); err != nil {
			return err
		}
	}
	return nil
}

// dropTokens removes the tokens of main.
func dropTokens(m *mlir.Module, _ *Executable) error {
	f, err := main(m)
	if err != nil {
		return err
	}
	return callback.DropTokens(f)
}
