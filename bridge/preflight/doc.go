// Package preflight checks that a module's custom calls can be served, before the module is
// compiled.
//
// XLA reports only the first handler that is missing, without its place in the module, and only after much of the
// compilation. [Check] reads the module and reports all problems at once: targets without a handler, callbacks that are
// not registered or are registered for other types, functions of package callbacks whose Go types differ from the
// call's, layouts that are not row-major, attributes that the contract does not define, and calls in the bodies of
// reductions, sorts and the like, where XLA has no code for them. Each problem has its place and, if there is one, the
// nearest known name.
//
// The targets that XLA's CPU compiler serves itself are a table. It was made by compiling a
// module with each target with the pinned plugin; a test repeats that.
package preflight
