// Package smt is the types and attributes of MLIR's smt dialect, and its export to
// SMT-LIB, the language of satisfiability solvers. A library that lacks the dialect's C
// API refuses them with an error that matches mlir.ErrUnsupported.
package smt
