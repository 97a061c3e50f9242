package ffi

/*
#include <stdlib.h>
#include "ffi_handler.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// Registry registers Go as the handler of a plugin's custom call targets. It is safe for
// concurrent use.
type Registry struct {
	api      *C.ffi_api
	platform string
}

// Platforms of XLA, for which handlers are registered.
const (
	Host = "Host" // a CPU; operands and results are in host memory
	CUDA = "CUDA" // an NVIDIA GPU; operands and results are in its memory
)

// Register registers a C function (XLA_FFI_Handler) through the PJRT API.
type Register func(target string, handler unsafe.Pointer) error

// Open prepares the FFI of one more plugin, whose runs this module starts, to register
// handlers for a platform: Host or CUDA. It holds every structure that is used against the
// sizes that the plugin expects, and refuses what it does not know. A process opens sixteen at
// most, each of another plugin or host.
func Open(register Register, platform string) (*Registry, error) { return open(register, platform, 1) }

// OpenHost is Open for a plugin whose runs a host starts, which did not get it from this
// module.
func OpenHost(register Register, platform string) (*Registry, error) {
	return open(register, platform, 0)
}

func open(register Register, platform string, own C.int) (*Registry, error) {
	api, err := Table(register)
	if err != nil {
		return nil, err
	}
	r := &Registry{(*C.ffi_api)(api), platform}
	memory := C.int(C.CALLIOPE_MEMORY_HOST)
	if platform == CUDA {
		memory = C.CALLIOPE_MEMORY_DEVICE
	}
	if err := textError(C.calliope_ffi_open(r.api, own, memory)); err != nil {
		return nil, err
	}
	return r, nil
}

// Handlers returns the handlers (XLA_FFI_Handler) of the contract's targets for the stages
// instantiate and execute, for a host that registers them itself. They serve every table that
// such a host has. If attributed is true, a call without any attribute is refused when its
// module is compiled.
func Handlers(attributed bool) (instantiate, execute unsafe.Pointer) {
	if attributed {
		return C.calliope_ffi_instantiate_attributed, C.calliope_ffi_execute
	}
	return C.calliope_ffi_instantiate, C.calliope_ffi_execute
}

var booting sync.Mutex

// Table returns the FFI table (XLA_FFI_Api) of a plugin. It registers a handler, whose
// only purpose is that the plugin shows it the table. The table is not checked, see Open.
func Table(register Register) (unsafe.Pointer, error) {
	booting.Lock()
	defer booting.Unlock()
	if err := register("calliope_boot", C.calliope_ffi_boot); err != nil {
		return nil, err
	}
	api := C.calliope_ffi_boot_api()
	if api == nil {
		return nil, errors.New("the plugin did not show its FFI table")
	}
	return unsafe.Pointer(api), nil
}

// Version returns the version of the plugin's FFI, which selects the layout of its
// structures.
func (r *Registry) Version() (major, minor int) {
	return int(r.api.version.major), int(r.api.version.minor)
}

// Register makes Go the handler of a custom call target. A target can be registered once.
// If attributed is true, a call without any attribute is refused when its module is
// compiled.
func (r *Registry) Register(target string, attributed bool) error {
	name, platform := C.CString(target), C.CString(r.platform)
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(platform))
	refuse := C.int(0)
	if attributed {
		refuse = 1
	}
	return textError(C.calliope_ffi_register(r.api, name, platform, refuse))
}

var foreign struct {
	sync.Mutex
	n int
}

// RegisterForeign makes Go the handler of a custom call target of another host, whose calls
// have attributes of their own. It calls bind with the number of the target before XLA can
// call the handler; the function of SetInstantiateForeign gets this number. A process
// serves a limited number of such targets.
func (r *Registry) RegisterForeign(target string, bind func(number int)) error {
	foreign.Lock()
	defer foreign.Unlock()
	if foreign.n == C.CALLIOPE_MAX_FOREIGN {
		return fmt.Errorf("%d targets of other hosts are registered, and a process serves no more", foreign.n)
	}
	foreign.n++
	bind(foreign.n)
	name, platform := C.CString(target), C.CString(r.platform)
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(platform))
	return textError(C.calliope_ffi_register_foreign(r.api, name, platform, C.int(foreign.n)))
}

// textError makes an error of a malloc'ed text, nil of NULL.
func textError(text *C.char) error {
	if text == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(text))
	return errors.New(C.GoString(text))
}
