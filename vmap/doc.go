// Package vmap makes functions of StableHLO modules that work on a batch, IR to IR.
//
// [Batch] takes a func.func of any module, whatever made it, and adds to that module a function that
// computes it for each element of a batch, as JAX's vmap does. The parameters that are batched have a
// further dimension, and so have the results.
//
// # How it works
//
// The operations of the function are created again, in their order, with its calls inlined. What does
// not depend on a batched value is copied. The others get a further dimension by a rule for each
// operation, as in JAX: elementwise operations work on larger arrays, dot_general and gather have
// batching dimensions, a branch that each element decides for itself becomes a select, and a loop runs
// until the condition of no element is true. In between, the dimension of the batch is the first one. [Looped]
// names the operations for which there is no such form. They run in a loop over the batch. [Register] and
// [RegisterTarget] add rules for other dialects and for custom calls.
//
// # Devices
//
// A batch may take the place of devices: see [Options]. The operations between them are operations on the batch then.
//
// # Callbacks
//
// A callback that only looks at values is called once, with the batches of those that are batched: the
// key "transforms" of its call says so. A callback whose results are computed by the host is called by a
// [contract.BatchMethod], which it states or [Options] has. Otherwise it is an error. Under a condition that differs
// in a batch, a callback with an effect is called in a loop over the batch, for those elements for
// which the condition holds. All effects keep their order, and the elements of a batch are in order in each call.
package vmap
