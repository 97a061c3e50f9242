// Package quant builds and reads the operations of MLIR's dialect quant, casts between numbers and integers that
// represent them, and makes its types: integers with scales and zero points. If the library lacks what a function
// needs, the error matches mlir.ErrUnsupported.
package quant
