// Package stablehlo is the StableHLO dialect on top of mlir: its types, its
// attributes and its operations.
//
// An operation is a plain struct of its operands, attributes and regions; Create makes
// the operation, with its result types inferred by MLIR itself wherever StableHLO can,
// and As… reads one back. Attributes are made through the StableHLO C API where the
// open library has it, and by parsing their text where it has not.
//
// The fields have the names of StableHLO's own definitions. Where a result type is not
// inferred, the field Result or Results gives it, and is needed. What a field's comment
// calls optional may be left out: a number, structure or list by nil, a string or a
// keyword by "", and what is true or false by false, which is the default everywhere. A
// region is used up by Create, where it succeeds; Operation.Region is the new one.
//
// Create refuses what would crash the library: it asserts nothing itself. Where a part is
// missing or a keyword unknown, the error names it; what MLIR says is a
// *mlir.DiagnosticError; the rest is for Operation.Verify to say. As with everything of
// one context, one goroutine at a time may do this.
package stablehlo

//go:generate go run ../tools/opgen -out ..
