// Package aliasing makes, reads, checks and explains output_operand_aliases: the attribute by
// which results of a custom call share the memory of its operands.
//
// StableHLO's own verifier lets through what XLA then gets wrong: two operands that
// share one result, or one operand that shares two. Check refuses both, and says
// what is wrong in terms of operands and results.
//
// Explain says for each alias whether XLA copies the operand before the call, why, and
// what would save the copy.
package aliasing
