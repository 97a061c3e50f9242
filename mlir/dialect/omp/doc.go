// Package omp builds and reads the operations of MLIR's dialect omp: OpenMP.
package omp
