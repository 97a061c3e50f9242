// Package index builds and reads the operations of MLIR's dialect index: arithmetic on
// values of type index.
package index
