// Package tensor builds and reads the operations of MLIR's dialect tensor: tensors,
// their slices and shapes.
package tensor
