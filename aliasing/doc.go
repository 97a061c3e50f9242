// Package aliasing makes, reads, checks and explains output_operand_aliases. With this
// attribute the results of a custom call share the memory of its operands.
//
// StableHLO's own verifier accepts two mistakes that XLA then compiles wrongly: two
// operands that share one result, and one operand that shares two. Check refuses both and
// names the operands and results.
//
// Explain reports, for each alias, whether XLA copies the operand before the call, why, and
// how to avoid the copy.
//
// # Indices
//
// An alias names a result by output_tuple_indices, and an operand by operand_index and operand_tuple_indices. The first
// and the last are paths into tuples, and the results of a call count as a tuple if there are several:
//
//	the call returns             its results      output_tuple_indices
//	a                            a                []
//	a, b, c                      a, b, c          [0], [1], [2]
//	tuple<a, b>                  a, b             [0], [1]
//	tuple<a, tuple<b, c>>        a, b, c          [0], [1, 0], [1, 1]
//	nothing                                       none: the call has no aliases
//
// With several results, [] means the tuple of all of them, which the verifier refuses. operand_index counts the
// operands from 0. operand_tuple_indices is [] for an operand that is an array, and a path into one that is a tuple.
// Result writes the alias of a call without tuples.
package aliasing
