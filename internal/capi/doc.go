// Package capi is the raw layer under mlir and stablehlo: one Go function for each
// function of the C API, called through the table of one library.
//
// Most of it is generated from the headers by tools/bindgen. Nothing here checks
// its arguments: the callers do.
package capi

//go:generate go run ../../tools/bindgen -out ../..
