// Package bufferization builds and reads the operations of MLIR's dialect
// bufferization: conversions between tensors and buffers.
package bufferization
