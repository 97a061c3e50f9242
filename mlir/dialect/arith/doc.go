// Package arith builds and reads the operations of MLIR's dialect arith: arithmetic on
// integers and floating-point numbers, and constants.
package arith
