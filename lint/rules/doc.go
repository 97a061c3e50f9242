// Package rules has the rules of mlir-lint, each in its own file. docs/reference/lint-rules.md is written
// from their Details.
package rules

//go:generate go test -run ^TestDocument$ -update .
