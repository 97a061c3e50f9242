// Package conformance has a test of every StableHLO operation: it is built through
// package stablehlo, verified, and run by StableHLO's reference interpreter and by XLA,
// and what they make of it is compared. Where only one of the two can run an operation,
// the specification judges by hand-made results, or NumPy, SciPy or JAX by results that
// testdata/make.py wrote down. docs/reference/stablehlo-ops.md is written from the same list.
package conformance

//go:generate go test -run ^TestTable$ -update .
