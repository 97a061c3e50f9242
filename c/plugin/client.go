package main

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/c/plugin/internal/abi"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// usualPlatform is the name of the platform of a client without the option platform_name.
const usualPlatform = "calliope"

// maxDevices is the greatest number of devices of a client.
const maxDevices = 1024

const platformVersion = "Calliope's JIT compiler"

// A client has one device or several, which share the CPU: programs for several run as one, see package vmap. Their
// memory is that of the host.
type client struct {
	memory
	engine   engine.Engine
	library  *mlir.Library
	platform string
	devices  []*device
	topology *topology
	self     abi.Handle

	platformName, version abi.Ptr[byte]
	handles, spaces       abi.Ptr[abi.Handle] // of the devices, and of their memories
}

func newClient(platform string, devices int) (*client, error) {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return nil, err
	}
	c := &client{engine: jit.Engine(), library: library, platform: platform}
	c.self = handle(c)
	var handles, spaces []abi.Handle
	for id := range devices {
		d := newDevice(c, id)
		c.devices, handles = append(c.devices, d), append(handles, d.self)
		for _, s := range d.spaces {
			spaces = append(spaces, s.self)
		}
	}
	c.topology = &topology{client: c}
	c.topology.self = handle(c.topology)
	c.platformName, _ = c.string(platform)
	c.version, _ = c.string(platformVersion)
	c.handles, c.spaces = copied(&c.memory, handles), copied(&c.memory, spaces)
	return c, nil
}

func (c *client) free() {
	for _, d := range c.devices {
		d.free()
	}
	_ = destroy[*topology](c.topology.self)
	c.memory.free()
}

// optionsOf returns the options of a client.
func optionsOf(list []abi.NamedValue) (platform string, devices int, err error) {
	platform, devices = usualPlatform, 1
	for _, o := range list {
		name := string(abi.Bytes(o.Name, o.NameSize))
		switch {
		case name == "platform_name" && o.Type == abi.NamedValueKString:
			platform = string(abi.Bytes(abi.Ptr[byte](o.Value[0]), o.ValueSize))
		case name == "cpu_device_count" && o.Type == abi.NamedValueKInt64:
			if devices = int(o.Value[0]); devices < 1 || devices > maxDevices {
				return "", 0, fmt.Errorf("%w: cpu_device_count is %d: use 1 to %d", errMistaken, devices, maxDevices)
			}
		default:
			return "", 0, fmt.Errorf("%w: there is no option %q of this type: the plugin has platform_name, a string, and "+
				"cpu_device_count, an integer", errMistaken, name)
		}
	}
	return platform, devices, nil
}

func init() {
	on(abi.PluginInitialize, func(*abi.PluginInitializeArgs) error { return nil })
	on(abi.PluginAttributes, func(a *abi.PluginAttributesArgs) error {
		list, err := attributes()
		a.Attributes, a.NumAttributes = list, numAttributes
		return err
	})
	on(abi.ClientCreate, func(a *abi.ClientCreateArgs) error {
		platform, devices, err := optionsOf(abi.List(a.CreateOptions, a.NumOptions))
		if err != nil {
			return err
		}
		c, err := newClient(platform, devices)
		if err == nil {
			a.Client = c.self
		}
		return err
	})
	on(abi.ClientDestroy, func(a *abi.ClientDestroyArgs) error { return destroy[*client](a.Client) })
	on(abi.ClientPlatformName, func(a *abi.ClientPlatformNameArgs) error {
		c := object[*client](a.Client)
		a.PlatformName, a.PlatformNameSize = c.platformName, len(c.platform)
		return nil
	})
	on(abi.ClientPlatformVersion, func(a *abi.ClientPlatformVersionArgs) error {
		a.PlatformVersion, a.PlatformVersionSize = object[*client](a.Client).version, len(platformVersion)
		return nil
	})
	on(abi.ClientProcessIndex, func(a *abi.ClientProcessIndexArgs) error {
		object[*client](a.Client)
		a.ProcessIndex = 0
		return nil
	})
	on(abi.ClientDevices, func(a *abi.ClientDevicesArgs) error {
		c := object[*client](a.Client)
		a.Devices, a.NumDevices = c.handles, len(c.devices)
		return nil
	})
	on(abi.ClientAddressableDevices, func(a *abi.ClientAddressableDevicesArgs) error {
		c := object[*client](a.Client)
		a.AddressableDevices, a.NumAddressableDevices = c.handles, len(c.devices)
		return nil
	})
	on(abi.ClientAddressableMemories, func(a *abi.ClientAddressableMemoriesArgs) error {
		c := object[*client](a.Client)
		a.AddressableMemories, a.NumAddressableMemories = c.spaces, len(c.devices)*len(kinds)
		return nil
	})
	on(abi.ClientLookupDevice, func(a *abi.ClientLookupDeviceArgs) (err error) {
		a.Device, err = object[*client](a.Client).lookup(a.Id)
		return err
	})
	on(abi.ClientLookupAddressableDevice, func(a *abi.ClientLookupAddressableDeviceArgs) (err error) {
		a.AddressableDevice, err = object[*client](a.Client).lookup(a.LocalHardwareId)
		return err
	})
	on(abi.ClientDefaultDeviceAssignment, func(a *abi.ClientDefaultDeviceAssignmentArgs) error {
		c := object[*client](a.Client)
		n := int(a.NumReplicas) * int(a.NumPartitions)
		if n < 1 || n > len(c.devices) || a.DefaultAssignmentSize < n {
			return fmt.Errorf("%w: there are %d devices, and %d replicas of %d partitions need %d", errMistaken,
				len(c.devices), a.NumReplicas, a.NumPartitions, n)
		}
		list := abi.List(a.DefaultAssignment, n)
		for i := range list {
			list[i] = int32(i)
		}
		return nil
	})
	on(abi.ClientUpdateGlobalProcessInfo, func(*abi.ClientUpdateGlobalProcessInfoArgs) error { return nil })
}

func (c *client) lookup(id int32) (abi.Handle, error) {
	if id < 0 || int(id) >= len(c.devices) {
		return 0, fmt.Errorf("%w: there is no device %d: there are %d", errMistaken, id, len(c.devices))
	}
	return c.devices[id].self, nil
}

// always is memory that is never freed.
var always memory

const numAttributes = 3

// attributes returns what the plugin reads: the versions of StableHLO.
var attributes = sync.OnceValues(func() (list abi.Ptr[abi.NamedValue], err error) {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return 0, err
	}
	current, err := stablehlo.CurrentVersion(library)
	if err != nil {
		return 0, err
	}
	oldest, err := stablehlo.MinimumVersion(library)
	if err != nil {
		return 0, err
	}
	made := [numAttributes]abi.NamedValue{
		named("xla_version", 2), // which has StableHLO's portable artifacts
		named("stablehlo_current_version", numbers(current)...), named("stablehlo_minimum_version", numbers(oldest)...),
	}
	return copied(&always, made[:]), nil
})

// named returns a named value of numbers.
func named(name string, values ...int64) abi.NamedValue {
	v := abi.NamedValue{Type: abi.NamedValueKInt64, Value: [1]uint64{uint64(values[0])}, ValueSize: len(values)}
	v.StructSize = int(unsafe.Sizeof(v))
	v.Name, v.NameSize = always.string(name)
	if len(values) > 1 {
		v.Type = abi.NamedValueKInt64List
		v.Value[0] = uint64(copied(&always, values))
	}
	return v
}

// numbers returns those of a version such as 1.13.3.
func numbers(version string) (list []int64) {
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.ParseInt(part, 10, 64)
		list = append(list, n)
	}
	return list
}
