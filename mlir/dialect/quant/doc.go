// Package quant is the types of MLIR's quant dialect: numbers that are stored as
// integers and stand for floats. A library that lacks the dialect's C API refuses them
// with an error that matches mlir.ErrUnsupported.
package quant
