// Package wasmssa builds and reads the operations of MLIR's dialect wasmssa: WebAssembly
// in SSA form.
package wasmssa
