// Package stablehlo implements the StableHLO dialect on top of package mlir: its types,
// attributes and operations.
//
// Its operations are like those of the packages below mlir/dialect. For each one there is a struct
// of its operands, attributes, regions and result types, a function that takes the required ones,
// and a reader:
//
//	sum := stablehlo.Add(b, x, y)
//	root := stablehlo.SqrtOp{Operand: sum, ResultAccuracy: &accuracy}.Create(b).Result(0)
//	op, ok := stablehlo.AsAdd(sum.Owner())
//
// b is a *mlir.Builder, which keeps the first error. Attributes are made through the StableHLO C
// API if the open library has it, and by parsing their text otherwise.
//
// The fields have the names of StableHLO's own definitions. If StableHLO defines an inference, the
// result types may be left out. If they are given, they may be others that are compatible with the
// inferred ones: quantized types, or some with other dynamic dimensions. A field whose comment says
// optional may be left out: a number, structure or list is left out by nil, a string or a keyword
// by "", and a bool by false, which is its default everywhere. An operation that is created
// consumes the regions; Operation.Region returns the new ones.
//
// Create rejects input that would crash the library, which has no assertions. If a part is missing
// or a keyword is unknown, the error names it. An error of MLIR is a *mlir.DiagnosticError.
// Operation.Verify checks everything else. As with all functions of a context, only one goroutine
// at a time may call them.
package stablehlo

//go:generate go run ../tools/opgen -out ..
