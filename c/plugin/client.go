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

const platformVersion = "Calliope's JIT compiler"

// A client has one device, which is the CPU. Its memory is that of the host.
type client struct {
	memory
	engine   engine.Engine
	library  *mlir.Library
	platform string
	device   *device
	topology *topology
	self     abi.Handle

	platformName, version *byte
	devices               *abi.Handle
}

func newClient(platform string) (*client, error) {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return nil, err
	}
	c := &client{engine: jit.Engine(), library: library, platform: platform}
	c.self = handle(c)
	c.device = newDevice(c)
	c.topology = &topology{client: c}
	c.topology.self = handle(c.topology)
	c.platformName, _ = c.string(platform)
	c.version, _ = c.string(platformVersion)
	c.devices = copied(&c.memory, []abi.Handle{c.device.self})
	return c, nil
}

func (c *client) free() {
	c.device.free()
	_ = destroy[*topology](c.topology.self)
	c.memory.free()
}

// optionsOf returns the options of a client.
func optionsOf(list []abi.NamedValue) (platform string, err error) {
	platform = usualPlatform
	for _, o := range list {
		name := string(abi.Bytes(o.Name, o.NameSize))
		switch {
		case name == "platform_name" && o.Type == abi.NamedValueKString:
			platform = string(abi.Bytes(*(**byte)(unsafe.Pointer(&o.Value)), o.ValueSize))
		default:
			return "", fmt.Errorf("%w: there is no option %q of this type: the plugin has platform_name, a string",
				errMistaken, name)
		}
	}
	return platform, nil
}

func init() {
	on(abi.PluginInitialize, func(*abi.PluginInitializeArgs) error { return nil })
	on(abi.PluginAttributes, func(a *abi.PluginAttributesArgs) error {
		list, err := attributes()
		a.Attributes, a.NumAttributes = unsafe.SliceData(list), len(list)
		return err
	})
	on(abi.ClientCreate, func(a *abi.ClientCreateArgs) error {
		platform, err := optionsOf(abi.List(a.CreateOptions, a.NumOptions))
		if err != nil {
			return err
		}
		c, err := newClient(platform)
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
		a.Devices, a.NumDevices = object[*client](a.Client).devices, 1
		return nil
	})
	on(abi.ClientAddressableDevices, func(a *abi.ClientAddressableDevicesArgs) error {
		a.AddressableDevices, a.NumAddressableDevices = object[*client](a.Client).devices, 1
		return nil
	})
	on(abi.ClientAddressableMemories, func(a *abi.ClientAddressableMemoriesArgs) error {
		a.AddressableMemories, a.NumAddressableMemories = object[*client](a.Client).device.handles, len(kinds)
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
		object[*client](a.Client)
		if n := a.NumReplicas * a.NumPartitions; n != 1 || a.DefaultAssignmentSize < 1 {
			return fmt.Errorf("%w: there is one device, and %d replicas of %d partitions need %d", errMistaken,
				a.NumReplicas, a.NumPartitions, n)
		}
		*a.DefaultAssignment = 0
		return nil
	})
	on(abi.ClientUpdateGlobalProcessInfo, func(*abi.ClientUpdateGlobalProcessInfoArgs) error { return nil })
}

func (c *client) lookup(id int32) (abi.Handle, error) {
	if id != 0 {
		return 0, fmt.Errorf("%w: there is no device %d: the only one is device 0", errMistaken, id)
	}
	return c.device.self, nil
}

// always is memory that is never freed.
var always memory

// attributes returns what the plugin reads: the versions of StableHLO.
var attributes = sync.OnceValues(func() ([]abi.NamedValue, error) {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return nil, err
	}
	current, err := stablehlo.CurrentVersion(library)
	if err != nil {
		return nil, err
	}
	oldest, err := stablehlo.MinimumVersion(library)
	if err != nil {
		return nil, err
	}
	made := []abi.NamedValue{
		named("xla_version", 2), // which has StableHLO's portable artifacts
		named("stablehlo_current_version", numbers(current)...), named("stablehlo_minimum_version", numbers(oldest)...),
	}
	return unsafe.Slice(copied(&always, made), len(made)), nil
})

// named returns a named value of numbers.
func named(name string, values ...int64) abi.NamedValue {
	v := abi.NamedValue{Type: abi.NamedValueKInt64, Value: [1]uint64{uint64(values[0])}, ValueSize: len(values)}
	v.StructSize = int(unsafe.Sizeof(v))
	v.Name, v.NameSize = always.string(name)
	if len(values) > 1 {
		v.Type = abi.NamedValueKInt64List
		*(**int64)(unsafe.Pointer(&v.Value)) = copied(&always, values)
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
