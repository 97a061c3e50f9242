package main

import "fmt"

// The releases of LLVM whose headers bindgen reads.
const (
	oldestRelease = 19
	newestRelease = 22
)

// changedAfter has the functions that are known to have another prototype in releases after
// the newest one that is read. Most libraries do not state their release, so the value is a
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
			return fmt.Errorf("changedAfter names %s, which the headers of LLVM %d do not declare: remove it", name, newestRelease)
		}
		if have(older, unless) || !have(newer, unless) {
			return fmt.Errorf("changedAfter distinguishes newer libraries by %s, which must be in LLVM %d and not in LLVM %d", unless, newestRelease, oldestRelease)
		}
	}
	return nil
}
