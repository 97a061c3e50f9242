// Package mpi builds and reads the operations of MLIR's dialect mpi: the Message Passing
// Interface.
package mpi
