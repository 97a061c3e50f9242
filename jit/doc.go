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
// The module is copied into another context, in which these steps rewrite it:
//
//  1. Passes of StableHLO expand what other operations express: CHLO, composites, complex functions. Calls are inlined,
//     so that @main is all there is.
//  2. Package lower rewrites what StableHLO's lowering to linalg lacks, and stablehlo-legalize-to-linalg does the rest.
//  3. The parameters and results of @main become buffers. Bufferization finds which temporaries need memory, and these
//     get fixed places in one arena, which a run owns.
//  4. Loops, arithmetic and memory are lowered to the LLVM dialect, which the execution engine compiles. LLVM optimizes
//     it if there are loops that it may vectorize.
//
// What a step does not know is refused before anything runs: see [UnsupportedError].
//
// # Callbacks
//
// A custom call of the contract, of JAX's callbacks or of a [callbacks.ForeignTarget] becomes a call of the Go
// function, on the thread that runs the compiled code and on its memory. Everything that package callbacks says of
// calls holds: forms, ways of dispatch, timeouts, errors, taps and barriers, counts. Calls are made in the order of the
// module's text. An array that passes through a callback is copied only if something else needs it afterwards. With
// callbacks.Deferred the thread waits, as with callbacks.Goroutine.
//
// If a function returns an error, the run ends at once. If the context of a run ends, the run ends at its next call, or
// when a while begins its next iteration. Compiled code cannot be stopped elsewhere.
//
// # Products
//
// A function computes the products of matrices that are large enough to gain from it, in tiles of vectors. It is
// compiled once in a process, for each element type. Convolutions become such products.
//
// # Threads
//
// Several threads compute large loops and products: that of the run, and those of helpers, of which the
// process has fewer than GOMAXPROCS. The results have the same bits whatever the number of threads.
package jit
