// Package llvm builds and reads the operations of MLIR's dialect llvm, LLVM's intermediate representation, and makes
// its types and its attributes for linkage, calling conventions, comdats, metadata and debug information. If the
// library lacks what a function needs, the error matches mlir.ErrUnsupported.
//
// A type or attribute with parameters is a plain struct. Its method Type or Attribute makes it in a context, and a
// Read function reads it back. The C prototypes of six debug attributes changed since LLVM 19. They can be made only if
// the library states its release, or is older than the change. Functions panic if they are called with a zero value, or
// with one of another context or of a closed one.
package llvm
