// Package rules holds the rules of mlir-lint, one in a file.
package rules
