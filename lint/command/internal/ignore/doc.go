// Package ignore reads what a module says about findings to ignore: comments of the form
//
//	// mlir-lint:ignore rule[,rule] reason
//
// in text, and the attribute mlir_lint.ignore, whose value is the same text without the first
// word, or an array of such texts. It does not need the MLIR library.
package ignore
