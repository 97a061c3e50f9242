// Package capi has one Go function for each function of the C APIs of MLIR, StableHLO and
// CHLO, called through the table of one library. Packages mlir and stablehlo are built on it.
//
// tools/bindgen generates most of it from the headers. Functions do not check their
// arguments: callers must.
package capi

//go:generate go run ../../tools/bindgen -out ../..
