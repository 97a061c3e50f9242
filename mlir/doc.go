// Package mlir is MLIR in Go: contexts, modules, operations, types, attributes and
// diagnostics over any shared library that exports the MLIR C API.
//
// A [Library] is one such library, opened at run time; several can be open at once.
// A [Context] made from it owns everything built or parsed in it. The other types
// are small values that can be copied and compared: they stay valid until their
// module or context is closed, and using one after that panics with a sentence that
// names the method.
//
// What the library reports while it parses or verifies comes back as a
// [DiagnosticError] and is never printed.
//
// # Handles and owners
//
// Operation, Block, Region and Value are small handles. What is made anew (Create,
// NewBlock, NewRegion, Clone, Detach) belongs to nobody until it is added to something,
// and is freed by Erase or with its context. A handle to something that was erased or
// closed panics with a sentence, also one that was made before a move; the memory of
// what is erased is given back when its module closes. Not caught are handles to what
// the library itself has erased, in a pass for example: Module.Invalidate is for that.
package mlir
