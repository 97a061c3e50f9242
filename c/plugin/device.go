package main

import (
	"fmt"
	"runtime/cgo"

	"github.com/calliope-mlir/calliope/c/plugin/internal/abi"
)

// A device is the CPU. It is its own description.
type device struct {
	memory
	client      *client
	space       *space
	self        abi.Handle
	description abi.Handle
	spaces      *abi.Handle

	kind, text         *byte
	kindSize, textSize int
}

// A space is the memory of a device.
type space struct {
	memory
	device  *device
	self    abi.Handle
	devices *abi.Handle

	kind, text         *byte
	kindSize, textSize int
}

// A description is that of a device.
type description struct{ *device }

func newDevice(c *client) *device {
	d := &device{client: c, space: &space{}}
	d.self, d.description = handle(d), handle(description{d})
	d.kind, d.kindSize = d.string("cpu")
	d.text, d.textSize = d.string("CalliopeDevice(id=0)")
	s := d.space
	s.device, s.self = d, handle(s)
	s.devices = copied(&s.memory, []abi.Handle{d.self})
	s.kind, s.kindSize = s.string("device")
	s.text, s.textSize = s.string("CalliopeMemory(id=0)")
	d.spaces = copied(&d.memory, []abi.Handle{s.self})
	return d
}

func (d *device) free() {
	_ = destroy[*space](d.space.self)
	cgo.Handle(d.description).Delete()
	cgo.Handle(d.self).Delete()
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
		_, a.LocalHardwareId = object[*device](a.Device), 0
		return nil
	})
	on(abi.DeviceAddressableMemories, func(a *abi.DeviceAddressableMemoriesArgs) error {
		a.Memories, a.NumMemories = object[*device](a.Device).spaces, 1
		return nil
	})
	on(abi.DeviceDefaultMemory, func(a *abi.DeviceDefaultMemoryArgs) error {
		a.Memory = object[*device](a.Device).space.self
		return nil
	})
	on(abi.DeviceGetAttributes, func(a *abi.DeviceGetAttributesArgs) error {
		object[*device](a.Device)
		given := give(nil)
		a.Attributes, a.NumAttributes = (*abi.NamedValue)(given), 0
		a.DeviceAttributes, a.AttributesDeleter = abi.Handle(uintptr(given)), deleter
		return nil
	})
	on(abi.DeviceDescriptionId, func(a *abi.DeviceDescriptionIdArgs) error {
		_, a.Id = object[description](a.DeviceDescription), 0
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
		_, a.Id = object[*space](a.Memory), 0
		return nil
	})
	on(abi.MemoryKind, func(a *abi.MemoryKindArgs) error {
		s := object[*space](a.Memory)
		a.Kind, a.KindSize = s.kind, s.kindSize
		return nil
	})
	on(abi.MemoryKindId, func(a *abi.MemoryKindIdArgs) error {
		_, a.KindId = object[*space](a.Memory), 0
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

// deviceOf returns the client's device that a caller names by a device or a memory, or the first one if it names none.
func (c *client) deviceOf(named, memory abi.Handle) (*device, error) {
	d := c.device
	if named != 0 {
		d = object[*device](named)
	}
	if memory != 0 {
		d = object[*space](memory).device
	}
	if d.client != c {
		return nil, fmt.Errorf("%w: the device is of another client", errMistaken)
	}
	return d, nil
}
