// Package memref builds and reads the operations of MLIR's dialect memref: buffers in
// memory.
package memref
