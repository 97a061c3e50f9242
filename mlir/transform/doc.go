// Package transform runs scripts of MLIR's transform dialect on modules, and defines operations of such scripts in Go.
// The operations of the dialect are in package mlir/dialect/transform.
package transform
