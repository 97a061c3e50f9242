// Package shape builds and reads the operations of MLIR's dialect shape: computations
// with shapes.
package shape
