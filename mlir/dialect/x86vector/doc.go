// Package x86vector builds and reads the operations of MLIR's dialect x86vector: vectors
// of x86 processors. Libraries after LLVM 22 have them in the dialect x86.
package x86vector
