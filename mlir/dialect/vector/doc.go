// Package vector builds and reads the operations of MLIR's dialect vector: vectors of
// hardware.
package vector
