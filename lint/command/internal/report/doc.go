// Package report writes the findings of mlir-lint in its formats, and merges reports in SARIF.
// It does not need the MLIR library.
package report
