// Package mlir is MLIR in Go: contexts, modules, operations, types, attributes and
// diagnostics over any shared library that exports the MLIR C API.
//
// A [Library] is one such library, opened at run time; several can be open at once.
// A [Context] made from it owns everything built or parsed in it. The other types
// are small values that can be copied and compared: they stay valid until their
// module or context is closed, and using one after that panics with an error that
// names the method.
//
// What the library reports while it parses or verifies comes back as a
// [DiagnosticError] and is never printed.
//
// # Handles and owners
//
// Operation, Block, Region and Value are small handles. Two handles to one object are ==,
// wherever they come from and whatever it has become part of, so they can be keys of maps.
// What is made anew (Create, NewBlock, NewRegion, Clone, Detach) is detached until it is
// added to something, and is freed by Erase or with its context.
//
// A handle to something that was erased or closed panics with an error that names the
// method which did it. It is not == to a handle to something else, even if the memory is
// used again. Passes and patterns end all handles to what is in their module. Not caught
// are handles to what the library has erased in other ways: Module.Invalidate is for that.
package mlir
