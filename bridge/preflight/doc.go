// Package preflight holds a module's custom calls against what there is to serve them,
// before the module is compiled.
//
// XLA names the first handler that it lacks, without saying where in the module, and
// only after much of the compiling is done. [Check] reads the module alone and names
// everything that is missing at once: targets without a handler, callbacks that are
// not registered or were registered for other types, functions of package callbacks
// whose Go types are others than the call's, layouts that are not row-major, attributes
// that the contract does not know. Each comes with its place and, where there is one,
// the nearest known name.
//
// What XLA's CPU compiler serves by itself is a table, found by compiling a module of
// each with the pinned plugin; a test does that again.
package preflight
