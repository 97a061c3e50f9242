// Package operations runs random programs of one or two operations of StableHLO and CHLO, of every element type, on
// each engine: package jit, XLA as bridge compiles for it, XLA with engine.CompileOptions.Exact, and StableHLO's
// reference interpreter. It compares what they return.
package operations
