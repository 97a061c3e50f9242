// Package mlir provides MLIR in Go: contexts, modules, operations, types, attributes and
// diagnostics. It calls any shared library that exports the MLIR C API.
//
// A [Library] is such a library, opened at run time. Several can be open at once. A
// [Context] of a library owns everything that is built or parsed in it. The other types are
// small values that can be copied and compared with ==. They are valid until their module
// or context is closed. Using one after that panics with an error that names the method.
// Packages below this one have subjects of their own, such as affine maps and transform scripts.
//
// The library's messages while it parses or verifies are returned as a [DiagnosticError],
// and are never printed.
//
// # Handles and ownership
//
// An Operation, Block, Region or Value is a handle to an object in the library. Every two
// valid handles to one object are ==, however they were obtained and whatever the object
// has since become part of. So handles can be keys of maps. A nil handle is the zero value.
//
// New objects (from Create, NewBlock, NewRegion, Clone or Detach) are detached until they
// are added to a block, region or operation. A detached object is freed by its Erase
// method, or when its context is closed.
//
// Using a handle to an object that was erased or closed panics with an error that names the
// method that erased or closed it. Such a handle is not == to a handle to another object,
// even if the library uses the memory again. Running passes or patterns invalidates all
// handles into their module. If the library erases objects in another way, the package does
// not notice: call [Module.Invalidate] then.
//
// # Guards
//
// The libraries crash on some modules and operations. The functions that parse and create refuse those that are known,
// also in programs that import no package of a dialect: what is known of the dialects is in a package that this one
// imports itself.
package mlir
