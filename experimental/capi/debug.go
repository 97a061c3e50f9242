package capi

import "unsafe"

// SetDebugTypes sets which parts of the library print debug output.
func SetDebugTypes(t *Table, types []string) {
	refs, free := stringRefs(types)
	defer free()
	list := unsafe.Slice((*unsafe.Pointer)(Alloc(len(refs)*int(unsafe.Sizeof(uintptr(0))))), len(refs))
	defer Free(unsafe.Pointer(&list[0]))
	for i, r := range refs {
		list[i] = r.Data
	}
	MlirSetGlobalDebugTypes(t, unsafe.Pointer(&list[0]), len(types))
}
