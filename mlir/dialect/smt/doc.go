// Package smt provides the types and attributes of MLIR's smt dialect, and its export to
// SMT-LIB, the language of satisfiability solvers. If the library lacks the dialect's C
// API, the functions return an error that matches mlir.ErrUnsupported.
package smt
