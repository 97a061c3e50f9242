package main

import (
	"fmt"
	"slices"
)

// The releases of LLVM whose headers bindgen reads.
const (
	oldestRelease = 19
	newestRelease = 22
)

// sameUntil has functions with different prototypes in the two releases, which have that of
// the newer one in later releases too, up to the given one. The source is torch-mlir's library,
// which is built from LLVM 24: the machine code of the first and the last, and the tests of the
// execution engine and of linkage attributes. The other functions of that kind, which make debug
// information, are refused in later releases: in that library, those for compile units and
// composite types crash, and the others were not tried.
var sameUntil = map[string]int{
	"mlirExecutionEngineCreate":       24,
	"mlirLLVMLinkageAttrGet":          24,
	"mlirPassManagerEnableIRPrinting": 24,
}

// changedAfter has the functions that are known to have another prototype in releases after
// the newest one that is read. They are not called in a library of such a release,
// for example LLVM 24. Most libraries do not state their release, so the value is a
// function that was added to the same header after the oldest release. A library without it
// is older than the change. In a library that has it and states no release, the function is
// not called, because the library may be newer.
var changedAfter = map[string]string{
	"mlirLLVMDIDerivedTypeAttrGet": "mlirLLVMDIDerivedTypeAttrGetName", // takes flags and more
	"mlirLLVMDIStringTypeAttrGet":  "mlirLLVMDIDerivedTypeAttrGetName", // takes its attributes in another form
}

// checkChanged checks changedAfter against the headers.
func checkChanged(older, newer *api) error {
	have := func(a *api, name string) bool {
		for _, f := range a.functions {
			if f.name == name {
				return true
			}
		}
		return false
	}
	for name, unless := range changedAfter {
		if !have(newer, name) {
			return fmt.Errorf("changedAfter names %s, which the headers of LLVM %d do not declare: remove it", name,
				newestRelease)
		}
		if have(older, unless) || !have(newer, unless) {
			return fmt.Errorf("changedAfter distinguishes newer libraries by %s, which must be in LLVM %d and not in LLVM %d", unless, newestRelease, oldestRelease)
		}
	}
	return nil
}

// checkSame checks sameUntil against the merged headers.
func checkSame(merged *api) error {
	for name := range sameUntil {
		if !slices.ContainsFunc(merged.functions,
			func(f *function) bool { return f.name == name && f.release == newestRelease }) {
			return fmt.Errorf("sameUntil names %s, which is the same in LLVM %d and %d, or not in LLVM %d: remove it",
				name, oldestRelease, newestRelease, newestRelease)
		}
	}
	return nil
}
