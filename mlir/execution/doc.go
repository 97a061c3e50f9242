// Package execution compiles modules of the LLVM dialect in this process and calls their
// functions. It uses MLIR's ExecutionEngine. Of the known libraries, the default one and
// upstream LLVM have it.
package execution
