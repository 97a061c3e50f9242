// Package rocdl builds and reads the operations of MLIR's dialect rocdl: operations of
// AMD's GPUs in LLVM.
package rocdl
