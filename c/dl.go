package c

/*
#cgo linux LDFLAGS: -ldl
#include <stdlib.h>
#include "dl.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

// Library is a shared library that was opened. It stays open until the process
// ends: code and registrations of it may be in use anywhere.
type Library struct {
	path   string
	handle unsafe.Pointer
}

// Open loads the shared library at path with its symbols kept to itself, so that
// several libraries that carry the same C++ code can live in one process.
func Open(path string) (*Library, error) {
	cpath := C.CString(path)
	defer C.free(unsafe.Pointer(cpath))
	var cerr *C.char
	handle := C.calliope_dlopen(cpath, &cerr)
	if handle == nil {
		defer C.free(unsafe.Pointer(cerr))
		// The loader's sentence mostly begins with the path, too.
		return nil, fmt.Errorf("opening shared library %s: %s", path, strings.TrimPrefix(C.GoString(cerr), path+": "))
	}
	return &Library{path: path, handle: handle}, nil
}

// Path is the path that the library was opened with.
func (l *Library) Path() string { return l.path }

// Symbol is the address of an exported symbol, or nil where the library has none
// of that name.
func (l *Library) Symbol(name string) unsafe.Pointer {
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	return C.calliope_dlsym(l.handle, cname)
}
