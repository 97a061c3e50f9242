// Package acc builds and reads the operations of MLIR's dialect acc: OpenACC.
package acc
