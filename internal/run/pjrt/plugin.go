package pjrt

/*
#include <stdlib.h>
#include "pjrt_error.h"
#include "pjrt_plugin.h"
#include "pjrt_program.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/host/dl"
)

// Plugin is a PJRT plugin. It is safe for concurrent use.
type Plugin struct {
	api      *C.pjrt_api
	ffi      *C.pjrt_ffi_extension
	platform string // see Platform
	noFFI    error  // see CanCall
	saving   error  // see CanSave
}

// Load reads the table of the PJRT plugin in the library. It refuses a plugin that is too
// old. Whether Go can be called from it says CanCall.
func Load(library *dl.Library) (*Plugin, error) {
	getAPI := library.Symbol("GetPjrtApi")
	if getAPI == nil {
		return nil, errors.New("the library exports no GetPjrtApi, so it is not a PJRT plugin")
	}
	api := C.calliope_pjrt_api(getAPI)
	if api == nil {
		return nil, errors.New("GetPjrtApi gave no table")
	}
	return Of(unsafe.Pointer(api))
}

// Of is Load for the table (PJRT_Api) of a plugin that somebody else loaded.
func Of(table unsafe.Pointer) (*Plugin, error) {
	api := (*C.pjrt_api)(table)
	if err := checkTable(api); err != nil {
		return nil, err
	}
	ffi, noFFI := findFFI(api)
	return &Plugin{api, ffi, platformOf(api), noFFI, checkSaving(api)}, nil
}

// CanCall returns nil if compiled code can call functions of this process, or why it cannot.
func (p *Plugin) CanCall() error { return p.noFFI }

// platformOf returns the platform for which a plugin's handlers are registered. A plugin has
// no name of its platform before it has a client, which needs a device. XLA's extension for
// custom calls on GPUs is what only its plugins for GPUs have. Of these ROCm's is not known
// to call Go: the name of its clients is refused.
func platformOf(api *C.pjrt_api) string {
	if extensionOf(api, C.PJRT_EXTENSION_GPU) != nil {
		return "CUDA"
	}
	return "Host"
}

// Platform returns the name of XLA's platform for which handlers are registered: "Host" or
// "CUDA".
func (p *Plugin) Platform() string { return p.platform }

func findFFI(api *C.pjrt_api) (*C.pjrt_ffi_extension, error) {
	e := extensionOf(api, C.PJRT_EXTENSION_FFI)
	switch {
	case e == nil:
		return nil, errors.New("the plugin has no FFI extension, so compiled code cannot call back: package stages cuts modules for such plugins")
	case e.struct_size < C.sizeof_pjrt_ffi_extension:
		return nil, fmt.Errorf("the plugin's FFI extension has %d bytes where %d are needed: it is too old",
			e.struct_size, C.sizeof_pjrt_ffi_extension)
	}
	return (*C.pjrt_ffi_extension)(unsafe.Pointer(e)), nil
}

// API returns the plugin's table (PJRT_Api), as the plugin gives it.
func (p *Plugin) API() unsafe.Pointer { return unsafe.Pointer(p.api) }

// Version returns the version of the PJRT API that the plugin was built with.
func (p *Plugin) Version() (major, minor int) {
	return int(p.api.version.major), int(p.api.version.minor)
}

// RegisterHandler registers a C function (XLA_FFI_Handler) as the handler of a custom call
// target on the plugin's platform. PJRT accepts almost any handler, also those that it drops:
// the FFI's own table is better for all but the first.
func (p *Plugin) RegisterHandler(target string, handler unsafe.Pointer) error {
	if p.noFFI != nil {
		return p.noFFI
	}
	name, platform := C.CString(target), C.CString(p.platform)
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(platform))
	register := func(size C.size_t) error {
		return takeError(p.api, C.calliope_pjrt_register(p.ffi, size, name, C.size_t(len(target)), platform, handler))
	}
	// The structure changed between releases without a version to tell them apart, but the
	// plugin refuses one that is too small with the size that it expects.
	const tooSmall, known = C.sizeof_size_t, C.CALLIOPE_FFI_REGISTER_SIZE
	err := register(tooSmall)
	if err == nil {
		return errors.New("the plugin registers handlers in an unknown layout")
	}
	if theirs := expectedSize(err.Error()); theirs != known {
		return fmt.Errorf("the plugin takes %d bytes to register a handler where %d are known", theirs, known)
	}
	if err := register(known); err != nil {
		return fmt.Errorf("registering the handler of %q: %w", target, err)
	}
	return nil
}

// expectedSize returns the number N in a message with ": expected N", 0 if there is none.
func expectedSize(message string) int {
	_, rest, _ := strings.Cut(message, ": expected ")
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

var decorated struct {
	sync.Mutex
	n int
}

// Decorate returns a copy of the plugin's table in which a few functions are ours. They
// keep the client and the executable that were last made on each thread, for LastClient,
// LastExecutable and LastProgram, append the options of AddOptions, and load instead of
// compiling inside LoadInstead. The copy lives as long as the process, which can have four.
func (p *Plugin) Decorate() (unsafe.Pointer, error) {
	decorated.Lock()
	defer decorated.Unlock()
	if decorated.n == C.CALLIOPE_MAX_DECORATED {
		return nil, fmt.Errorf("%d plugins are loaded, and a process holds no more", decorated.n)
	}
	table := C.calliope_pjrt_decorate(C.int(decorated.n), p.api)
	if table == nil {
		return nil, errors.New("there is no memory for the plugin's table")
	}
	decorated.n++
	return unsafe.Pointer(table), nil
}

// AddOptions calls compile, which must compile at most once and on this thread, and appends
// fields of a serialized CompileOptionsProto to the options of that compile.
func AddOptions(fields []byte, compile func()) {
	if len(fields) == 0 {
		compile()
		return
	}
	data := C.CBytes(fields)
	defer C.free(data)
	C.calliope_add_options((*C.char)(data), C.size_t(len(fields)))
	defer C.calliope_add_options(nil, 0)
	compile()
}

// LastProgram returns the optimized program of what was last compiled on this thread, to
// which the goroutine must have been locked since before: a serialized
// HloModuleProtoWithConfig of XLA, nil if the plugin shows none.
func (p *Plugin) LastProgram() []byte {
	var size C.size_t
	data := C.calliope_pjrt_program(p.api, &size)
	if data == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(data))
	return C.GoBytes(unsafe.Pointer(data), C.int(size))
}

// LastExecutable returns what was last compiled on this thread, to which the goroutine
// must have been locked since before. It belongs to whoever compiled it. It must be called
// after LastProgram.
func (p *Plugin) LastExecutable() Executable {
	return Executable{p.api, C.calliope_last_loaded()}
}

// Executable is a loaded executable of a plugin.
type Executable struct {
	api *C.pjrt_api
	c   unsafe.Pointer
}

// LastClient returns the client that was last made on this thread, to which the goroutine
// must have been locked since before. It belongs to whoever made it.
func (p *Plugin) LastClient() (*Client, error) {
	var devices *unsafe.Pointer
	var n, all C.size_t
	client := C.calliope_last_client(p.api, &devices, &n, &all)
	if client == nil {
		return nil, errors.New("the plugin shows no devices of its client")
	}
	c := &Client{p.api, client, unsafe.Slice(devices, int(n)), nil, int(all)}
	for _, device := range c.devices {
		c.ids = append(c.ids, int(C.calliope_device_id(p.api, device)))
	}
	return c, nil
}

// Client is a client of a plugin. It is safe for concurrent use.
type Client struct {
	api     *C.pjrt_api
	c       unsafe.Pointer
	devices []unsafe.Pointer // of this process; C memory, the client's
	ids     []int            // of devices
	all     int
}

// NumDevices returns the number of its devices in this process.
func (c *Client) NumDevices() int { return len(c.devices) }

// NumInAll returns the number of its devices in all processes.
func (c *Client) NumInAll() int { return c.all }

// Local returns which devices of this process are among those with some ids, in the order of the ids.
func (c *Client) Local(ids []int) []int {
	local := []int{}
	for _, id := range ids {
		if i := slices.Index(c.ids, id); i >= 0 {
			local = append(local, i)
		}
	}
	return local
}
