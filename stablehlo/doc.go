// Package stablehlo implements the StableHLO dialect on top of package mlir: its types,
// attributes and operations.
//
// An operation is a plain struct of its operands, attributes and regions. Create makes
// the operation. MLIR infers its result types if StableHLO defines an inference for it.
// As… reads an operation back. Attributes are made through the StableHLO C API if the
// open library has it, and by parsing their text otherwise.
//
// The fields have the names of StableHLO's own definitions. If a result type is not
// inferred, the field Result or Results is required and sets it. Otherwise the field may
// state another type that is compatible with the inferred one: a quantized type, or one with
// other dynamic dimensions. As… sets it only for an operation whose type is not the inferred
// one. If the length of Results is wrong, the regions are lost. A field whose comment
// says optional may be left out: a number, structure or list is left out by nil, a
// string or a keyword by "", and a bool by false, which is its default everywhere. A
// successful Create consumes the regions; Operation.Region returns the new ones.
//
// Create rejects input that would crash the library, which has no assertions. If a part
// is missing or a keyword is unknown, the error names it. An error of MLIR is a
// *mlir.DiagnosticError. Operation.Verify checks everything else. As with all functions
// of a context, only one goroutine at a time may call them.
package stablehlo

//go:generate go run ../tools/opgen -out ..
