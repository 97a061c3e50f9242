// Package contract is what a module and the runtime agree on about callbacks: the
// targets, the keys of backend_config, the forms, and in which order operands stand.
//
// A callback is one stablehlo.custom_call with api_version = 4 and a dictionary as
// its backend_config. The builder writes that dictionary from a Config; the handler
// reads it back into one. Nothing in it belongs to one process unless the callback
// is bound by id.
//
// docs/contract.md is the specification, for runtimes in other languages too, and
// testdata/v1.json has test vectors that each must agree with. A dictionary says in the
// key "v" which version of the contract it needs: see Version.
//
// What a callback takes and gives are the leaves of trees. A tree is a leaf, or a struct,
// array, slice or map of trees. Its leaves stand in this order: the fields of a struct as
// declared, elements by their index, the entries of a map by their keys, strings by their
// bytes and integers by their values. Package internal/tree takes trees apart so, for
// builder and callbacks.
//
// Ids of other hosts, which are opaque bytes, come in encodings of their own: see
// Encoding.
package contract
