// Package lsp serves the findings of a linter to editors by the Language Server Protocol 3.17:
// diagnostics, and their repairs as code actions. Everything else about MLIR, such as hover and
// definitions, is left to the language servers of the dialects, which run beside it.
//
// [Serve] is the connection (server.go, framing.go). It keeps the documents that the client has open
// and checks each version (documents.go). Positions are converted between the protocol and
// reports (text.go).
//
// github.com/creachadair/jrpc2 does the JSON-RPC: it is maintained, keeps the order of notifications as
// the protocol wants, and needs only two small modules. The types of the protocol are in protocol.go,
// because the Go modules that have all of them are old or large.
package lsp
