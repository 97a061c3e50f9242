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
package mlir
