// Package xegpu builds and reads the operations of MLIR's dialect xegpu: tiles of Intel's
// GPUs.
package xegpu
