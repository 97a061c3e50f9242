package embed

/*
#include <stdlib.h>
#include "api.h"
*/
import "C"

import (
	"sync"
	"unicode/utf8"
	"unsafe"
)

// given is the memory that the caller has to free, by its address. The addresses are integers,
// because the caller may pass one that is none, which must not be in a pointer of Go.
var given = struct {
	sync.Mutex
	live map[uintptr]unsafe.Pointer
}{live: map[uintptr]unsafe.Pointer{}}

// give copies bytes, with a NUL behind them, to memory that the caller frees by calliope_free.
func give(data []byte) unsafe.Pointer {
	p := C.malloc(C.size_t(len(data) + 1))
	copy(unsafe.Slice((*byte)(p), len(data)), data)
	*(*byte)(unsafe.Add(p, len(data))) = 0
	given.Lock()
	defer given.Unlock()
	given.live[uintptr(p)] = p
	return p
}

// store writes a pointer to memory of C or of the host. A plain assignment tells Go's garbage
// collector the old value, too, which may be what is left of a pointer to freed memory of Go: the
// collector ends the process when it finds one.
func store(at, p unsafe.Pointer) { *(*uintptr)(at) = uintptr(p) }

//export calliopeFree
func calliopeFree(memory C.uintptr_t) C.calliope_status {
	return protect(func() error {
		if memory == 0 {
			return nil
		}
		given.Lock()
		defer given.Unlock()
		p, ok := given.live[uintptr(memory)]
		if !ok {
			return invalid("calliope_free: the library did not return this memory, or it was freed already")
		}
		delete(given.live, uintptr(memory))
		C.free(p)
		return nil
	})
}

// textOf returns a text of the caller, "" for NULL. It must be UTF-8, as in modules and in JSON.
// field says which one it is.
func textOf(field string, s *C.char) (string, error) {
	t := text(s)
	if !utf8.ValidString(t) {
		return "", invalid("%s is %q, which is not UTF-8", field, t)
	}
	return t, nil
}

// text returns a text of the caller, "" for NULL.
func text(s *C.char) string {
	if s == nil {
		return ""
	}
	return C.GoString(s)
}
