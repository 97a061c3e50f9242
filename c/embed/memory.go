package embed

/*
#include <stdlib.h>
#include "api.h"
*/
import "C"

import (
	"sync"
	"unsafe"
)

// given is the memory that the caller has to free.
var given = struct {
	sync.Mutex
	live map[unsafe.Pointer]bool
}{live: map[unsafe.Pointer]bool{}}

// give copies bytes, with a NUL behind them, to memory that the caller frees by calliope_free.
func give(data []byte) unsafe.Pointer {
	p := C.malloc(C.size_t(len(data) + 1))
	copy(unsafe.Slice((*byte)(p), len(data)), data)
	*(*byte)(unsafe.Add(p, len(data))) = 0
	given.Lock()
	defer given.Unlock()
	given.live[p] = true
	return p
}

//export calliopeFree
func calliopeFree(memory unsafe.Pointer) C.calliope_status {
	return protect(func() error {
		if memory == nil {
			return nil
		}
		given.Lock()
		defer given.Unlock()
		if !given.live[memory] {
			return invalid("calliope_free: the library did not return this memory, or it was freed already")
		}
		delete(given.live, memory)
		C.free(memory)
		return nil
	})
}

// text returns a text of the caller, "" for NULL.
func text(s *C.char) string {
	if s == nil {
		return ""
	}
	return C.GoString(s)
}
