// Package jit compiles modules of StableHLO by MLIR and LLVM alone, on every platform that has an MLIR library with an
// execution engine, and runs them in this process. It needs no plugin.
//
//	e, err := jit.Compile(ctx, module, jit.Options{})
//	…
//	defer e.Close()
//	results, err := e.Call(ctx, x, y)
//
// # How a module is compiled
//
// The module is copied into a context of its own, in which these steps rewrite it:
//
//  1. Passes of StableHLO expand what other operations express: CHLO, composites, complex functions. Calls are inlined,
//     so that @main is all there is.
//  2. Package lower rewrites what StableHLO's lowering to linalg lacks, and stablehlo-legalize-to-linalg does the rest.
//  3. The parameters and results of @main become buffers. Bufferization finds which temporaries need memory, and these
//     get fixed places in one arena, which a run owns.
//  4. Loops, arithmetic and memory are lowered to the LLVM dialect, which the execution engine compiles.
//
// What a step does not know is refused before anything runs: see [UnsupportedError].
package jit
