// Package tpu builds and reads the operations of MLIR's dialect tpu: operations of
// Google's TPUs in Pallas, which jaxlib's library has.
package tpu
