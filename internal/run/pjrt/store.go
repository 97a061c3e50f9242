package pjrt

// #include <stdlib.h>
// #include "pjrt_store.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime/cgo"
	"time"
	"unsafe"
)

// A Store is a store of keys and values that the processes of a client share. Several threads call it at once.
type Store interface {
	Get(key string, timeout time.Duration) ([]byte, error)
	TryGet(key string) (value []byte, found bool, err error)
	Put(key string, value []byte) error
}

// WithStore calls create, which must make at most one client, on this thread, and gives that client the store.
// release must be called when the client is destroyed.
func WithStore(s Store, create func()) (release func()) {
	handle := cgo.NewHandle(s)
	C.calliope_store_next(C.uintptr_t(handle))
	defer C.calliope_store_next(0)
	create()
	return handle.Delete
}

// Codes of absl::Status.
const deadlineExceeded, notFound, internal = 4, 5, 13

// calliopeStore answers a callback of a client: it returns 0, or the code of an error, whose message the caller frees.
//
//export calliopeStore
func calliopeStore(store C.uintptr_t, what C.int, key *C.char, keySize C.size_t, timeout C.int, value **C.char,
	size *C.size_t, message **C.char) (code C.int32_t) {
	fail := func(status C.int32_t, err error) {
		code, *message = status, C.CString(err.Error())
	}
	defer func() {
		if p := recover(); p != nil { // it must not unwind into C
			fail(internal, fmt.Errorf("the store panicked: %v", p))
		}
	}()
	s, name := cgo.Handle(store).Value().(Store), C.GoStringN(key, C.int(keySize))
	if what == C.CALLIOPE_STORE_PUT {
		if err := s.Put(name, C.GoBytes(unsafe.Pointer(*value), C.int(*size))); err != nil {
			fail(internal, err)
		}
		return code
	}
	var data []byte
	found := true
	var err error
	if what == C.CALLIOPE_STORE_GET {
		data, err = s.Get(name, time.Duration(timeout)*time.Millisecond)
	} else {
		data, found, err = s.TryGet(name)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		fail(deadlineExceeded, err)
	case err != nil:
		fail(internal, err)
	case !found:
		fail(notFound, fmt.Errorf("the store has no key %q", name))
	default:
		*value, *size = (*C.char)(C.CBytes(data)), C.size_t(len(data))
	}
	return code
}
