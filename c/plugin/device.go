package main

import (
	"fmt"
	"sync"

	"github.com/calliope-mlir/calliope/c/plugin/internal/abi"
)

// A device is the CPU, or a part in a program for several devices. It is its own description.
type device struct {
	memory
	client      *client
	id          int
	spaces      []*space // the first one is that of arrays for which nothing else is said
	self        abi.Handle
	description abi.Handle
	handles     abi.Ptr[abi.Handle] // of the spaces

	kind, text         abi.Ptr[byte]
	kindSize, textSize int

	mu                          sync.Mutex
	last                        *wait // the last run that went on after its start
	held, most, arrays, largest int64 // bytes of buffers now and at most, how many there were, and of the largest one
}

// follow returns what a run on the device waits for, and makes later runs wait for it, if it is not nil.
func (d *device) follow(run *wait) (earlier *wait) {
	d.mu.Lock()
	defer d.mu.Unlock()
	earlier = d.last
	if run != nil || earlier.isOver() {
		d.last = run
	}
	return earlier
}

// hold counts n bytes of a buffer, which are less than 0 if it is gone.
func (d *device) hold(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n >= 0 {
		d.arrays++
	}
	d.held += int64(n)
	d.most, d.largest = max(d.most, d.held), max(d.largest, int64(n))
}

// kinds are those of the memories of JAX's CPU backend. Here they differ in their names alone.
var kinds = []string{"device", "pinned_host", "unpinned_host"}

// A space is a memory of a device.
type space struct {
	memory
	device  *device
	number  int
	self    abi.Handle
	devices abi.Ptr[abi.Handle]

	kind, text         abi.Ptr[byte]
	kindSize, textSize int
}

// A description is that of a device.
type description struct{ *device }

func newDevice(c *client, id int) *device {
	d := &device{client: c, id: id}
	d.self, d.description = handle(d), handle(description{d})
	d.kind, d.kindSize = d.string("cpu")
	d.text, d.textSize = d.string(fmt.Sprintf("CalliopeDevice(id=%d)", id))
	var handles []abi.Handle
	for i, kind := range kinds {
		s := &space{device: d, number: i}
		s.self = handle(s)
		s.devices = copied(&s.memory, []abi.Handle{d.self})
		s.kind, s.kindSize = s.string(kind)
		s.text, s.textSize = s.string(fmt.Sprintf("CalliopeMemory(id=%d)", s.id()))
		d.spaces, handles = append(d.spaces, s), append(handles, s.self)
	}
	d.handles = copied(&d.memory, handles)
	return d
}

// id returns the number of a memory among those of all devices.
func (s *space) id() int { return s.device.id*len(kinds) + s.number }

func (d *device) free() {
	for _, s := range d.spaces {
		_ = destroy[*space](s.self)
	}
	drop(d.description)
	drop(d.self)
	d.memory.free()
}

func init() {
	on(abi.DeviceGetDescription, func(a *abi.DeviceGetDescriptionArgs) error {
		a.DeviceDescription = object[*device](a.Device).description
		return nil
	})
	on(abi.DeviceIsAddressable, func(a *abi.DeviceIsAddressableArgs) error {
		_, a.IsAddressable = object[*device](a.Device), true
		return nil
	})
	on(abi.DeviceLocalHardwareId, func(a *abi.DeviceLocalHardwareIdArgs) error {
		a.LocalHardwareId = int32(object[*device](a.Device).id)
		return nil
	})
	on(abi.DeviceAddressableMemories, func(a *abi.DeviceAddressableMemoriesArgs) error {
		a.Memories, a.NumMemories = object[*device](a.Device).handles, len(kinds)
		return nil
	})
	on(abi.DeviceDefaultMemory, func(a *abi.DeviceDefaultMemoryArgs) error {
		a.Memory = object[*device](a.Device).spaces[0].self
		return nil
	})
	on(abi.DeviceGetAttributes, func(a *abi.DeviceGetAttributesArgs) error {
		object[*device](a.Device)
		given := give(nil)
		a.Attributes, a.NumAttributes = abi.Ptr[abi.NamedValue](given), 0
		a.DeviceAttributes, a.AttributesDeleter = abi.Handle(given), deleter
		return nil
	})
	on(abi.DeviceMemoryStats, func(a *abi.DeviceMemoryStatsArgs) error {
		d := object[*device](a.Device)
		d.mu.Lock()
		defer d.mu.Unlock()
		*a = abi.DeviceMemoryStatsArgs{StructSize: a.StructSize, Device: a.Device, BytesInUse: d.held,
			PeakBytesInUse: d.most, PeakBytesInUseIsSet: true, NumAllocs: d.arrays, NumAllocsIsSet: true,
			LargestAllocSize: d.largest, LargestAllocSizeIsSet: true}
		return nil
	})
	on(abi.DeviceDescriptionId, func(a *abi.DeviceDescriptionIdArgs) error {
		a.Id = int32(object[description](a.DeviceDescription).id)
		return nil
	})
	on(abi.DeviceDescriptionProcessIndex, func(a *abi.DeviceDescriptionProcessIndexArgs) error {
		_, a.ProcessIndex = object[description](a.DeviceDescription), 0
		return nil
	})
	on(abi.DeviceDescriptionAttributes, func(a *abi.DeviceDescriptionAttributesArgs) error {
		_, a.NumAttributes = object[description](a.DeviceDescription), 0
		return nil
	})
	on(abi.DeviceDescriptionKind, func(a *abi.DeviceDescriptionKindArgs) error {
		d := object[description](a.DeviceDescription)
		a.DeviceKind, a.DeviceKindSize = d.kind, d.kindSize
		return nil
	})
	on(abi.DeviceDescriptionDebugString, func(a *abi.DeviceDescriptionDebugStringArgs) error {
		d := object[description](a.DeviceDescription)
		a.DebugString, a.DebugStringSize = d.text, d.textSize
		return nil
	})
	on(abi.DeviceDescriptionToString, func(a *abi.DeviceDescriptionToStringArgs) error {
		d := object[description](a.DeviceDescription)
		a.ToString, a.ToStringSize = d.text, d.textSize
		return nil
	})
	on(abi.MemoryId, func(a *abi.MemoryIdArgs) error {
		a.Id = int32(object[*space](a.Memory).id())
		return nil
	})
	on(abi.MemoryKind, func(a *abi.MemoryKindArgs) error {
		s := object[*space](a.Memory)
		a.Kind, a.KindSize = s.kind, s.kindSize
		return nil
	})
	on(abi.MemoryKindId, func(a *abi.MemoryKindIdArgs) error {
		a.KindId = int32(object[*space](a.Memory).number)
		return nil
	})
	on(abi.MemoryDebugString, func(a *abi.MemoryDebugStringArgs) error {
		s := object[*space](a.Memory)
		a.DebugString, a.DebugStringSize = s.text, s.textSize
		return nil
	})
	on(abi.MemoryToString, func(a *abi.MemoryToStringArgs) error {
		s := object[*space](a.Memory)
		a.ToString, a.ToStringSize = s.text, s.textSize
		return nil
	})
	on(abi.MemoryAddressableByDevices, func(a *abi.MemoryAddressableByDevicesArgs) error {
		a.Devices, a.NumDevices = object[*space](a.Memory).devices, 1
		return nil
	})
}

// spaceOf returns the client's memory that a caller names by a device or a memory, or the first one if it names none.
func (c *client) spaceOf(named, memory abi.Handle) (*space, error) {
	s := c.devices[0].spaces[0]
	if named != 0 {
		s = object[*device](named).spaces[0]
	}
	if memory != 0 {
		s = object[*space](memory)
	}
	if s.device.client != c {
		return nil, fmt.Errorf("%w: the device is of another client", errMistaken)
	}
	return s, nil
}
