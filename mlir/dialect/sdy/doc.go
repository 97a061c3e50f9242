// Package sdy builds and reads the operations of MLIR's dialect sdy: Shardy, which
// describes how the arrays of a program are divided over devices; jaxlib's library has
// it.
package sdy
