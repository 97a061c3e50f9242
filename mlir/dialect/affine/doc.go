// Package affine builds and reads the operations of MLIR's dialect affine: loops and
// accesses with affine bounds and indices.
package affine
