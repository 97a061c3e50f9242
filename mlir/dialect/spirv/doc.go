// Package spirv builds and reads the operations of MLIR's dialect spirv: the SPIR-V
// binary format.
package spirv
