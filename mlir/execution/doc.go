// Package execution compiles modules of the LLVM dialect in this process and calls their
// functions. It uses MLIR's ExecutionEngine. Of the known libraries, only upstream LLVM has
// it.
package execution
