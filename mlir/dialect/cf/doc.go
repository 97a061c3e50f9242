// Package cf builds and reads the operations of MLIR's dialect cf: branches between
// blocks.
package cf
