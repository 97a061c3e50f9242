package pjrt

// #include "pjrt_buffer.h"
// #include "pjrt_program.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// Memory is a memory of a device. It lives as long as its client.
type Memory struct {
	Kind string // such as "device" or "pinned_host"
	c    unsafe.Pointer
}

// Memories returns the memories of a device, in the plugin's order.
func (c *Client) Memories(device int) ([]Memory, error) {
	r := C.calliope_device_memories(c.api, c.devices[device])
	if r.error != nil {
		return nil, takeError(c.api, r.error)
	}
	var list []Memory
	for _, memory := range unsafe.Slice(r.memories, int(r.num_memories)) {
		kind, err := takeKind(c.api, C.calliope_memory_kind(c.api, memory))
		if err != nil {
			return nil, err
		}
		list = append(list, Memory{kind, memory})
	}
	return list, nil
}

// Memory returns the kind of the memory that the array is in, "" if the plugin does not say.
func (a Array) Memory() (kind string, err error) {
	return takeKind(a.api, C.calliope_buffer_memory(a.api, a.c))
}

func takeKind(api *C.pjrt_api, r C.calliope_kind_result) (string, error) {
	if r.error != nil {
		return "", takeError(api, r.error)
	}
	return C.GoStringN(r.kind, C.int(r.size)), nil
}

// MinorToMajor returns the order of the array's dimensions in memory, the one that varies
// fastest first. ok is false if the plugin reports another kind of layout.
func (a Array) MinorToMajor() (dims []int, ok bool, err error) {
	r := C.calliope_buffer_layout(a.api, a.c)
	if r.error != nil {
		return nil, false, takeError(a.api, r.error)
	}
	if r.known == 0 || r.num_tiles > 0 {
		return nil, false, nil
	}
	if r.num_minor_to_major > 0 {
		dims = append(dims, unsafe.Slice((*int)(unsafe.Pointer(r.minor_to_major)), int(r.num_minor_to_major))...)
	}
	return dims, true, nil
}

// MemoryUse is how many bytes a program needs.
type MemoryUse struct{ Code, Arguments, Outputs, Aliases, Temporaries int64 }

// Memory returns what the program needs of the memory of each device and of the host. If the plugin has no such
// function, the error matches errors.ErrUnsupported.
func (e Executable) Memory() (device, host MemoryUse, err error) {
	if C.calliope_has(e.api, C.PJRT_FN_MEMORY_STATS) == 0 {
		return device, host, fmt.Errorf("the plugin has no function PJRT_Executable_GetCompiledMemoryStats: %w",
			errors.ErrUnsupported)
	}
	m := C.calliope_executable_memory(e.api, e.c)
	if m.error != nil {
		return device, host, takeError(e.api, m.error)
	}
	return memoryUse(m.device), memoryUse(m.host), nil
}

func memoryUse(m C.pjrt_memory_use) MemoryUse {
	return MemoryUse{int64(m.code), int64(m.arguments), int64(m.outputs), int64(m.aliases), int64(m.temporaries)}
}
