// Package torch builds and reads the operations of MLIR's dialect torch: PyTorch's
// operators, of torch-mlir.
package torch
