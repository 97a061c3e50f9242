// Package engine has what all engines share that compile and run modules.
//
// An [Engine] compiles a [Program] into an [Executable]: bridge.Client.Engine is XLA, jit.Engine is MLIR and LLVM, and
// a program may bring its own. An Executable takes inputs, which are arrays of the host or of its engine, and returns
// an [Array] for each result. An Array is over a [Memory], which an engine implements; those in the host's memory are
// of this package. Package stages cuts modules for any engines.
//
// This package links no engine.
package engine
