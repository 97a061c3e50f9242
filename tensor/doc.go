// Package tensor is what the other packages say about arrays: element types, shapes
// and views on the bytes of a dense, row-major host array. It knows nothing of MLIR
// or XLA.
package tensor
