package ffihost

// #include <stdlib.h>
// #include "host.h"
import "C"

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"unsafe"
)

// registered are the handlers of the process.
var registered = struct {
	sync.Mutex
	targets map[string]Bundle
}{targets: map[string]Bundle{}}

// Register registers the handlers of a target for a platform of XLA: those of others than the CPU are never called. The
// same handlers may be registered again.
func Register(target, platform string, b Bundle) error {
	if !strings.EqualFold(platform, "host") && !strings.EqualFold(platform, "cpu") {
		return nil
	}
	if err := b.Check(); err != nil {
		return fmt.Errorf("the target %s: %w", target, err)
	}
	registered.Lock()
	defer registered.Unlock()
	if of, found := registered.targets[target]; found && of != b {
		return fmt.Errorf("the target %s: it has other handlers already", target)
	}
	registered.targets[target] = b
	return nil
}

// Registered returns the handlers by their targets.
func Registered() map[string]Bundle {
	registered.Lock()
	defer registered.Unlock()
	return maps.Clone(registered.targets)
}

// calliopeHostRegister registers what a library registers by the table of the FFI.
//
//export calliopeHostRegister
func calliopeHostRegister(a *C.ffi_handler_register_args) *C.ffi_error {
	err := Register(text(a.name), text(a.platform), Bundle{
		Instantiate: unsafe.Pointer(a.instantiate), Prepare: unsafe.Pointer(a.prepare),
		Initialize: unsafe.Pointer(a.initialize), Execute: unsafe.Pointer(a.execute)})
	if err == nil {
		return nil
	}
	message := C.CString(err.Error())
	defer C.free(unsafe.Pointer(message))
	return C.calliope_host_fail(invalidArgument, message)
}

func text(s C.ffi_span) string { return C.GoStringN(s.data, C.int(s.size)) }
