// Package jaxexport reads the files that jax.export writes with Exported.serialize: a
// StableHLO module with what a caller must know of it.
//
// The module's parameters are, in this order: the index of the platform, if Platforms has
// several names; a token for each ordered effect; and the inputs whose indices are in Kept. Its results are a token for
// each ordered effect, and the outputs. stablehlo.SelectPlatform binds the first parameter, and stablehlo.Refine
// specializes a module with symbolic dimensions.
//
// The files have no magic number. They are flatbuffers of the schema
// jax/_src/export/serialization.fbs. JAX 0.10 writes version 11 of it, and states version 3.
// Files of that version are tested; the fields of older versions are read as JAX 0.10 reads
// them, and fields that later versions add are ignored.
package jaxexport
