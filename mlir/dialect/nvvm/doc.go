// Package nvvm builds and reads the operations of MLIR's dialect nvvm: operations of
// NVIDIA's GPUs in LLVM.
package nvvm
