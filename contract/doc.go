// Package contract has the conventions for callbacks between a module and the runtime: the
// targets, the keys of backend_config, the forms, and the order of operands.
//
// A callback is one stablehlo.custom_call with api_version = 4 and a dictionary as its
// backend_config. The builder writes that dictionary from a Config, and the handler reads it
// into a Config. It is valid in every process, unless the callback is bound by id.
//
// docs/contract.md is the specification, also for runtimes in other languages, and
// testdata/v1.json has test vectors with which each must agree. The key "v" of a dictionary
// has the version of the contract that it needs: see Version.
//
// The operands and results of a callback are the leaves of trees. A tree is a leaf, or a
// struct, array, slice or map of trees. The order of the leaves is: the fields of a struct as
// declared, elements by index, the entries of a map by key, strings by their bytes and
// integers by their values. Package internal/run/tree implements this order for builder and
// callbacks.
//
// Ids of other hosts, which are opaque bytes, have other encodings: see Encoding.
package contract
