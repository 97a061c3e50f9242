// Package load reads modules that other programs wrote, and compiles modules for any engine.
//
// [Open] reads a file: a StableHLO module in text, in bytecode or as a portable artifact, or a file of jax.export.
// [File.Parse] makes a [Module] of it, [Module.Refine] gives that the shapes of a call, and [Compile] makes an
// engine.Executable of a module, whose inputs and results are whole arrays, also if devices share the module.
//
// This package links no engine: see package engine.
package load
