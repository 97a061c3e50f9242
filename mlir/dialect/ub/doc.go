// Package ub builds and reads the operations of MLIR's dialect ub: undefined behavior.
package ub
