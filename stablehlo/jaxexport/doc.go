// Package jaxexport reads the files that jax.export writes with Exported.serialize: a
// StableHLO module with what a caller must know of it.
//
// The module's parameters are, in this order: the index of the platform, if Platforms has
// several names; a token for each ordered effect; and the inputs whose indices are in Kept. Its results are a token for each ordered effect, and the
// outputs. stablehlo.SelectPlatform binds the first parameter, and stablehlo.Refine
// specializes a module with symbolic dimensions.
//
// The files have no magic number. They are flatbuffers of the schema
// jax/_src/export/serialization.fbs; versions 2 to 11 of it, which JAX 0.4.31 to 0.10
// write, are read. Fields that later versions add are ignored.
package jaxexport
