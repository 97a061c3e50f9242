// Package execute runs modules in child processes: on package jit, on the XLA of any plugin as bridge compiles for it,
// with and without engine.CompileOptions.Exact, and on StableHLO's reference interpreter.
package execute
