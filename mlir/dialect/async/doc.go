// Package async builds and reads the operations of MLIR's dialect async: asynchronous
// execution.
package async
