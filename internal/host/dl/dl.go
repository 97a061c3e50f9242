// Package dl opens shared libraries and looks up their symbols.
//
// Calliope links nothing of LLVM, StableHLO or XLA: all of it is found at run time.
package dl

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

// Library is an open shared library. It stays open until the process ends, because its
// code and what it registered may be in use anywhere. It is safe for concurrent use.
type Library struct {
	path   string
	handle unsafe.Pointer
}

// longest is the length in bytes of the longest path that Linux opens. The loader copies a path to
// the stack before it asks for the file.
const longest = 4095

// Open loads the shared library at path and keeps its symbols local, so that several
// libraries that contain the same C++ code can live in one process. The path "" is the
// process itself: the program, and the libraries that it is linked to.
func Open(path string) (*Library, error) {
	switch {
	case len(path) > longest:
		return nil, fmt.Errorf("opening shared library %.40q…: the path has %d bytes: it must have %d at most", path,
			len(path), longest)
	case strings.ContainsRune(path, 0):
		return nil, fmt.Errorf("opening shared library %q: the path has a NUL", path)
	}
	if err := openNeeded(path); err != nil {
		return nil, err
	}
	return open(path)
}

// open is Open for what may be needed by another library.
func open(path string) (*Library, error) {
	if err := checkWhole(path); err != nil {
		return nil, err
	}
	cpath := C.CString(path)
	defer C.free(unsafe.Pointer(cpath))
	var cerr *C.char
	handle := C.calliope_dlopen(cpath, &cerr)
	if handle == nil {
		defer C.free(unsafe.Pointer(cerr))
		// The loader's message mostly begins with the path, too.
		message := strings.TrimPrefix(C.GoString(cerr), path+": ")
		if why := machine(path, message); why != "" {
			return nil, &MachineError{path, message, why}
		}
		return nil, fmt.Errorf("opening shared library %s: %s", path, message)
	}
	return &Library{path: path, handle: handle}, nil
}

// A MachineError reports that the machine, and not the library, is why it cannot be opened.
type MachineError struct{ path, message, why string }

func (e *MachineError) Error() string {
	return fmt.Sprintf("opening shared library %s: %s: %s", e.path, e.message, e.why)
}

// Path returns the path that the library was opened with.
func (l *Library) Path() string { return l.path }

// Handle returns the result of dlopen, for C code that calls dlsym. On Windows it is a
// HMODULE, for GetProcAddress.
func (l *Library) Handle() unsafe.Pointer { return l.handle }

// Symbol returns the address of an exported symbol, or nil if the library has none of
// that name.
func (l *Library) Symbol(name string) unsafe.Pointer {
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	return C.calliope_dlsym(l.handle, cname)
}
