// Package tensor describes arrays for the other packages: element types, shapes, and views
// of the bytes of a dense, row-major host array. It does not depend on MLIR or XLA.
package tensor
