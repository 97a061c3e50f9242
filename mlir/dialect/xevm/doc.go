// Package xevm builds and reads the operations of MLIR's dialect xevm: operations of
// Intel's GPUs in LLVM.
package xevm
