package c

/*
#include <stdlib.h>
#include "pjrt_plugin.h"
#include "pjrt_program.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/dl"
)

// Plugin is a PJRT plugin whose FFI calls reach Go.
type Plugin struct {
	number int
	api    *C.pjrt_api
	table  *C.pjrt_api
	ffi    *C.ffi_api
}

var plugins struct {
	sync.Mutex
	n int
}

// LoadPlugin prepares the PJRT plugin in the library: it finds the plugin's FFI,
// holds every structure that is used against the sizes that the plugin expects,
// and refuses what it does not know.
func LoadPlugin(library *dl.Library) (*Plugin, error) {
	getAPI := library.Symbol("GetPjrtApi")
	if getAPI == nil {
		return nil, errors.New("the library exports no GetPjrtApi, so it is no PJRT plugin")
	}
	plugins.Lock()
	defer plugins.Unlock()
	if plugins.n == C.CALLIOPE_MAX_PLUGINS {
		return nil, fmt.Errorf("%d plugins are loaded, and a process holds no more", plugins.n)
	}
	var out C.calliope_plugin
	if err := sentence(C.calliope_pjrt_load(C.int(plugins.n), getAPI, &out)); err != nil {
		return nil, err
	}
	p := &Plugin{number: plugins.n, api: out.api, table: out.table, ffi: out.ffi}
	plugins.n++
	return p, nil
}

// Table is the address of the plugin's API table in the form that runs know their
// identity in. It lives as long as the process.
func (p *Plugin) Table() uintptr { return uintptr(unsafe.Pointer(p.table)) }

// Version is the version of the PJRT API that the plugin was built with.
func (p *Plugin) Version() (major, minor int) {
	return int(p.api.version.major), int(p.api.version.minor)
}

// FFIVersion is the version of XLA's typed FFI in the plugin, which selects the
// layout of its structures.
func (p *Plugin) FFIVersion() (major, minor int) {
	return int(p.ffi.version.major), int(p.ffi.version.minor)
}

// Register makes Go the handler of a custom call target. A target can be
// registered once. A call of an own target without any attribute is refused when its
// module is compiled.
func (p *Plugin) Register(target string, own bool) error {
	name := C.CString(target)
	defer C.free(unsafe.Pointer(name))
	return sentence(C.calliope_ffi_register(C.int(p.number), name, cInt(own)))
}

// LastProgram is the optimized program of what was last compiled on this thread, to
// which the goroutine must have been locked since before: a serialized
// HloModuleProtoWithConfig of XLA, nil where the plugin shows none.
func (p *Plugin) LastProgram() []byte {
	var size C.size_t
	data := C.calliope_pjrt_program(p.api, &size)
	if data == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(data))
	return C.GoBytes(unsafe.Pointer(data), C.int(size))
}

// LastExecutable is what was last compiled on this thread, to which the goroutine must
// have been locked since before. It lives until gopjrt destroys its own.
func (p *Plugin) LastExecutable() Executable {
	return Executable{p.api, C.calliope_last_loaded()}
}

// Executable is a loaded executable of a plugin.
type Executable struct {
	api *C.pjrt_api
	c   unsafe.Pointer
}

// LastClient is the client that was last made on this thread, to which the goroutine
// must have been locked since before. It lives until gopjrt destroys its own.
func (p *Plugin) LastClient() (*Client, error) {
	var devices *unsafe.Pointer
	var n C.size_t
	client := C.calliope_last_client(p.api, &devices, &n)
	if client == nil {
		return nil, errors.New("the plugin shows no devices of its client")
	}
	return &Client{p.api, client, unsafe.Slice(devices, int(n))}, nil
}

// Client is a client of a plugin. It may be used on several goroutines.
type Client struct {
	api     *C.pjrt_api
	c       unsafe.Pointer
	devices []unsafe.Pointer // C memory, the client's
}

// NumDevices is the number of its devices.
func (c *Client) NumDevices() int { return len(c.devices) }

func cInt(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// RegisterBench registers a handler that is written in C and does what the way
// into Go does for a passthrough call, but the crossing. It is the floor for
// measurements.
func (p *Plugin) RegisterBench(target string) error {
	name := C.CString(target)
	defer C.free(unsafe.Pointer(name))
	return sentence(C.calliope_ffi_register_bench(C.int(p.number), name))
}

func sentence(text *C.char) error {
	if text == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(text))
	return errors.New(C.GoString(text))
}
