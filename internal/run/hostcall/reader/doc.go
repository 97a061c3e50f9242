// Package reader reads the custom calls of a module that functions of the host serve: those of the contract, of JAX's
// callbacks and of foreign targets. It is for runtimes that find the calls in the module, with arrays of known shapes.
package reader
