package main

import "fmt"

// The releases of LLVM whose headers are read.
const (
	oldestRelease = 19
	newestRelease = 22
)

// changedAfter are the functions known to have another prototype in releases after the
// newest that is read. Most libraries do not say their release: each function stands
// here with one that came into the same header after the oldest release. A library
// without that one is older than the change; another one that says no release may be
// newer, and is refused.
var changedAfter = map[string]string{
	"mlirLLVMDIDerivedTypeAttrGet": "mlirLLVMDIDerivedTypeAttrGetName", // takes flags and more
	"mlirLLVMDIStringTypeAttrGet":  "mlirLLVMDIDerivedTypeAttrGetName", // takes its attributes in another way
}

// checkChanged holds the table above against the headers.
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
			return fmt.Errorf("changedAfter names %s, which LLVM %d has not: take it out", name, newestRelease)
		}
		if have(older, unless) || !have(newer, unless) {
			return fmt.Errorf("changedAfter tells new libraries by %s, which must be in LLVM %d and not in LLVM %d", unless, newestRelease, oldestRelease)
		}
	}
	return nil
}
