// Package raw gives the packages of this module the C handles and functions behind the types
// of package mlir, which mlir does not export, and the helpers that they share to call C
// functions of a dialect.
package raw
