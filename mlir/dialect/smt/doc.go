// Package smt builds and reads the operations of MLIR's dialect smt, the formulas of satisfiability solvers, and
// makes its types and attributes. Export writes a module in their language, SMT-LIB. If the library lacks what a
// function needs, the error matches mlir.ErrUnsupported.
package smt
