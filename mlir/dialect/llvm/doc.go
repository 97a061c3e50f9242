// Package llvm is the llvm dialect of MLIR: its types, and the attributes for
// linkage, calling conventions, comdats and debug information.
//
// A type or attribute with parameters is a plain struct: Type or Attribute makes it
// in a context, and As… reads one back. What the open library has no function for is
// refused with an error that matches mlir.ErrUnsupported; four of the debug attributes
// changed their C prototype between LLVM 19 and 22 and are made only where the library
// says which release it is. A zero value, or one of another context or of a closed
// one, is misuse and panics with a sentence.
package llvm
