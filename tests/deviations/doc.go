// Package deviations runs a module for each case in which XLA's CPU compiler is known not to compute what a
// module says, without and with the way round. docs/reference/xla-deviations.md and docs/upstream are written
// from the same list, and docs/reference/jit-deviations.md from one of package jit and the interpreter.
package deviations

//go:generate go test -run ^Test(Page|PageOfEngines|Upstream)$ -update .
