// Package quant provides the types of MLIR's quant dialect: numbers that are stored as
// integers and represent floats. If the library lacks the dialect's C API, the functions
// return an error that matches mlir.ErrUnsupported.
package quant
