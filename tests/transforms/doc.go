// Package transforms holds what packages autodiff and vmap make of random programs, and of each other's results, to
// what JAX computes.
package transforms
