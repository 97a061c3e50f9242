// Package scf builds and reads the operations of MLIR's dialect scf: loops and
// conditions with regions.
package scf
