// Package ptr builds and reads the operations of MLIR's dialect ptr: pointers.
package ptr
