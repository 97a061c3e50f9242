// Package quick finds the operations of old host calls (outfeed, infeed, create_token) in MLIR
// modules without an MLIR library. It reads text with a lexer, and bytecode with a reader of
// the container format, both in Go. It needs neither cgo nor package mlir.
//
// [Check] expects a valid module: it does not parse or verify. For each module that an MLIR
// library accepts, it finds the same operations at the same positions as a full parse.
package quick
