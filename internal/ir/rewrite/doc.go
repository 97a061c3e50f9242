// Package rewrite has what the rewritings of modules share: they add operations, make them again with other operands
// and results, and read what they need to know of them.
package rewrite
