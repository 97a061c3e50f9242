// Package tosa builds and reads the operations of MLIR's dialect tosa: the Tensor
// Operator Set Architecture.
package tosa
