// Package raw provides the C handles and functions behind the types of package mlir, which
// mlir does not export, and helpers that call the C functions of a dialect. It is for the
// packages of this module.
package raw
