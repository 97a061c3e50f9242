// Package math builds and reads the operations of MLIR's dialect math: mathematical
// functions.
package math
