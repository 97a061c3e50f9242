// Package x86 builds and reads the operations of MLIR's dialect x86: vectors and tiles of
// x86 processors.
package x86
