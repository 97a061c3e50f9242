// Package stablehlo is the StableHLO dialect on top of mlir: its types, its
// attributes and its operations.
//
// An operation is a plain struct of its operands and attributes; Create makes the
// operation, with its result types inferred by MLIR itself wherever StableHLO can,
// and As… reads one back. Attributes are made through the StableHLO C API where the
// open library has it, and by parsing their text where it has not.
package stablehlo
