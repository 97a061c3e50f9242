// Package mhlo builds and reads the operations of MLIR's dialect mhlo: XLA's own dialect
// before StableHLO, which jaxlib's library has.
package mhlo
