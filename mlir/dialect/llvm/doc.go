// Package llvm provides the types of MLIR's llvm dialect, and its attributes for linkage,
// calling conventions, comdats and debug information.
//
// A type or attribute with parameters is a plain struct. Its method Type or Attribute makes
// it in a context, and a Read function reads it back. If the open library lacks a C
// function, the error matches mlir.ErrUnsupported. The C prototypes of four debug
// attributes changed between LLVM 19 and 22. They can be made only if the library reports
// its release. Functions panic if they are called with a zero value, or with one of another
// context or of a closed one.
package llvm
