package main

import (
	"fmt"
	"slices"
)

// The releases of LLVM whose headers bindgen reads, and the last one that these were compared with: LLVM 24 was not
// released then, and the headers were those of a day, 25 October 2026.
const (
	oldestRelease = 19
	newestRelease = 22
	lastRelease   = 24
)

// sameUntil has the functions with different prototypes in the two releases, which have that of the newer one until
// lastRelease. The others change once more: see llvm23/Changed.h.
var sameUntil = map[string]bool{
	"mlirExecutionEngineCreate":       true,
	"mlirLLVMDILocalVariableAttrGet":  true,
	"mlirLLVMDISubprogramAttrGet":     true,
	"mlirLLVMLinkageAttrGet":          true,
	"mlirPassManagerEnableIRPrinting": true,
}

// extended has the functions that got one more parameter after the newest release that is read. They are called with
// it in every library: earlier ones have the other parameters in the same places, and do not read this one.
var extended = map[string]bool{
	"mlirTranslateModuleToSMTLIB":    true, // whether solvers end with a reset; before LLVM 23 they do
	"mlirTranslateOperationToSMTLIB": true,
}

// notAfter has the last release in which a function of llvm23 is called: a callback of it changed.
var notAfter = map[string]int{"mlirMemoryEffectsOpInterfaceAttachFallbackModel": 23}

// A change is that of a prototype.
type change struct {
	release int    // the last with the prototype of the headers that are read
	unless  string // a function of the same header, of which a library without it is older than the change
}

// changedAfter has the functions of one prototype in both releases, and another one later. Most libraries do not state
// their release, so there is a function that was added to the same header after the oldest release. In a library that
// has it and states no release, the function is not called, because the library may be newer.
var changedAfter = map[string]change{
	"mlirLLVMDIDerivedTypeAttrGet": {22, "mlirLLVMDIDerivedTypeAttrGetName"}, // takes flags and more
	"mlirLLVMDIStringTypeAttrGet":  {23, "mlirLLVMDIDerivedTypeAttrGetName"}, // takes the type of a character
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
	for name, c := range changedAfter {
		if !have(newer, name) {
			return fmt.Errorf("changedAfter names %s, which the headers of LLVM %d do not declare: remove it", name,
				newestRelease)
		}
		if have(older, c.unless) || !have(newer, c.unless) {
			return fmt.Errorf("changedAfter distinguishes newer libraries by %s, which must be in LLVM %d and not in LLVM %d", c.unless, newestRelease, oldestRelease)
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
