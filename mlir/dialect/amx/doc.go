// Package amx builds and reads the operations of MLIR's dialect amx: Intel's Advanced
// Matrix Extensions. Libraries after LLVM 22 have them in the dialect x86.
package amx
