// Package triton builds and reads the operations of MLIR's dialect tt: Triton's kernels,
// which jaxlib's library has.
package triton
