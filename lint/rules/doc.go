// Package rules has the rules of mlir-lint, each in its own file.
package rules
