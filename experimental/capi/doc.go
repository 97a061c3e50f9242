// Package capi has one Go function for each function of the C APIs of MLIR, StableHLO and CHLO, called through the
// table of one library. Packages mlir and stablehlo are built on it, and have what most programs need. This package is
// for the rest: a program calls it with the pointers of mlir's objects, and makes objects of the pointers that it gets.
//
//	t, err := capi.Open(c.Library().Path())
//	…
//	h := capi.MlirIndexTypeGet(t, capi.MlirContext{Ptr: c.Pointer()})
//	index := c.TypeFromPointer(h.Ptr)
//
// The functions are as raw as those in C. They check no argument: a wrong one ends the process. A call of a function
// that the library lacks panics: see [Table.Has]. Nothing tells a goroutine that another one uses the context. Some are
// not generated, and exist for package mlir.
//
// tools/bindgen generates most of it from the headers. docs/reference/capi-coverage.md lists the headers.
package capi

//go:generate go run ../../tools/bindgen -out ../..
