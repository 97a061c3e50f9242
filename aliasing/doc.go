// Package aliasing makes, reads, checks and explains output_operand_aliases. With this
// attribute the results of a custom call share the memory of its operands.
//
// StableHLO's own verifier accepts two mistakes that XLA then compiles wrongly: two
// operands that share one result, and one operand that shares two. Check refuses both and
// names the operands and results.
//
// Explain reports, for each alias, whether XLA copies the operand before the call, why, and
// how to avoid the copy.
package aliasing
