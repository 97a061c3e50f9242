// Package shard builds and reads the operations of MLIR's dialect shard: the division of
// tensors over grids of devices.
package shard
