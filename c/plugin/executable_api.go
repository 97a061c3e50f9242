package main

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/calliope-mlir/calliope/c/plugin/internal/abi"
	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// An executable is a PJRT_Executable: what a caller may know of a program.
type executable struct {
	memory
	*program
}

func init() {
	on(abi.ClientCompile, func(a *abi.ClientCompileArgs) error {
		c := object[*client](a.Client)
		source, _ := abi.Within[abi.Program](unsafe.Pointer(a.Program.Get()))
		if format := string(abi.Bytes(source.Format, source.FormatSize)); format != "mlir" {
			return fmt.Errorf("%w: a program in the format %q: the plugin compiles StableHLO in MLIR's text or bytecode, mlir",
				errMissing, format)
		}
		p, err := c.compile(slices.Clone(abi.Bytes(source.Code, source.CodeSize)),
			slices.Clone(abi.Bytes(a.CompileOptions, a.CompileOptionsSize)))
		if err != nil {
			return err
		}
		a.Executable = p.load()
		return nil
	})
	on(abi.LoadedExecutableDestroy, func(a *abi.LoadedExecutableDestroyArgs) error {
		return destroy[*loaded](a.Executable)
	})
	on(abi.LoadedExecutableGetExecutable, func(a *abi.LoadedExecutableGetExecutableArgs) error {
		a.Executable = handle(&executable{program: object[*loaded](a.LoadedExecutable).program})
		return nil
	})
	on(abi.LoadedExecutableAddressableDevices, func(a *abi.LoadedExecutableAddressableDevicesArgs) error {
		l := object[*loaded](a.Executable)
		a.AddressableDevices, a.NumAddressableDevices = l.handles, len(l.devices)
		return nil
	})
	on(abi.LoadedExecutableDelete, func(a *abi.LoadedExecutableDeleteArgs) error {
		return object[*loaded](a.Executable).close()
	})
	on(abi.LoadedExecutableIsDeleted, func(a *abi.LoadedExecutableIsDeletedArgs) error {
		l := object[*loaded](a.Executable)
		l.mu.Lock()
		defer l.mu.Unlock()
		a.IsDeleted = l.closed
		return nil
	})
	on(abi.LoadedExecutableExecute, execute)
	on(abi.LoadedExecutableFingerprint, func(a *abi.LoadedExecutableFingerprintArgs) error {
		l := object[*loaded](a.Executable)
		a.ExecutableFingerprint, a.ExecutableFingerprintSize = l.string(l.fingerprint)
		return nil
	})
	on(abi.LoadedExecutableGetDeviceAssignment, func(a *abi.LoadedExecutableGetDeviceAssignmentArgs) error {
		data := object[*loaded](a.Executable).assignment()
		given := give(data)
		a.SerializedBytes, a.SerializedBytesSize = given, len(data)
		a.SerializedDeviceAssignment = abi.Handle(given)
		a.SerializedDeviceAssignmentDeleter = deleter
		return nil
	})
	on(abi.LoadedExecutableAddressableDeviceLogicalIds,
		func(a *abi.LoadedExecutableAddressableDeviceLogicalIdsArgs) error {
			l := object[*loaded](a.Executable)
			var ids []abi.LogicalDeviceIds
			for i := range l.devices {
				replica, partition := i/l.partitions, i%l.partitions
				ids = append(ids, abi.LogicalDeviceIds{Replica: int32(replica), Partition: int32(partition)})
			}
			a.AddressableDeviceLogicalIds, a.NumAddressableDeviceLogicalIds = copied(&l.memory, ids), len(ids)
			return nil
		})
	on(abi.ExecutableDestroy, func(a *abi.ExecutableDestroyArgs) error { return destroy[*executable](a.Executable) })
	on(abi.ExecutableName, func(a *abi.ExecutableNameArgs) error {
		e := object[*executable](a.Executable)
		a.ExecutableName, a.ExecutableNameSize = e.string(e.name)
		return nil
	})
	on(abi.ExecutableNumReplicas, func(a *abi.ExecutableNumReplicasArgs) error {
		a.NumReplicas = object[*executable](a.Executable).replicas
		return nil
	})
	on(abi.ExecutableNumPartitions, func(a *abi.ExecutableNumPartitionsArgs) error {
		a.NumPartitions = object[*executable](a.Executable).partitions
		return nil
	})
	on(abi.ExecutableNumOutputs, func(a *abi.ExecutableNumOutputsArgs) error {
		a.NumOutputs = len(object[*executable](a.Executable).to)
		return nil
	})
	on(abi.ExecutableFingerprint, func(a *abi.ExecutableFingerprintArgs) error {
		e := object[*executable](a.Executable)
		a.ExecutableFingerprint, a.ExecutableFingerprintSize = e.string(e.fingerprint)
		return nil
	})
	on(abi.ExecutableGetCostAnalysis, func(a *abi.ExecutableGetCostAnalysisArgs) error {
		_, a.NumProperties = object[*executable](a.Executable), 0
		return nil
	})
	on(abi.ExecutableGetCompiledMemoryStats, func(a *abi.ExecutableGetCompiledMemoryStatsArgs) error {
		e := object[*executable](a.Executable)
		*a = abi.ExecutableGetCompiledMemoryStatsArgs{StructSize: a.StructSize, Executable: a.Executable}
		for i, s := range e.main.Params {
			s, err := e.part(e.params, i, s)
			if err != nil {
				return err
			}
			a.ArgumentSizeInBytes += int64(s.NumBytes())
		}
		results, err := e.outputs()
		for _, s := range results {
			if s.DType != tensor.Token {
				a.OutputSizeInBytes += int64(s.NumBytes())
			}
		}
		if c, ok := load.Undivided(e.runner).(*jit.Executable); ok {
			a.TempSizeInBytes = int64(c.Temporaries())
			for i, s := range c.Outputs() {
				if k, ok := c.Donor(i); ok && e.donated[k] {
					a.AliasSizeInBytes += int64(s.NumBytes())
				}
			}
		}
		a.PeakMemoryInBytes = a.ArgumentSizeInBytes + a.OutputSizeInBytes - a.AliasSizeInBytes + a.TempSizeInBytes
		a.TotalSizeInBytes = a.PeakMemoryInBytes
		return err
	})
	on(abi.ExecutableSizeOfGeneratedCodeInBytes, func(a *abi.ExecutableSizeOfGeneratedCodeInBytesArgs) error {
		object[*executable](a.Executable)
		a.SizeInBytes = -1 // which XLA says if it is not known
		return nil
	})
	on(abi.ExecutableOutputMemoryKinds, func(a *abi.ExecutableOutputMemoryKindsArgs) error {
		e := object[*executable](a.Executable)
		a.NumOutputs = len(e.to)
		a.MemoryKinds, a.MemoryKindSizes = e.kindsOf(e.to)
		return nil
	})
	on(abi.ExecutableParameterMemoryKinds, func(a *abi.ExecutableParameterMemoryKindsArgs) error {
		e := object[*executable](a.Executable)
		a.NumParameters = len(e.from)
		a.MemoryKinds, a.MemoryKindSizes = e.kindsOf(e.from)
		return nil
	})
	on(abi.ExecutableOutputElementTypes, func(a *abi.ExecutableOutputElementTypesArgs) error {
		e := object[*executable](a.Executable)
		shapes, err := e.outputs()
		var list []abi.BufferType
		for _, s := range shapes {
			list = append(list, elementType(s))
		}
		a.OutputTypes, a.NumOutputTypes = copied(&e.memory, list), len(list)
		return err
	})
	on(abi.ExecutableOutputDimensions, func(a *abi.ExecutableOutputDimensionsArgs) error {
		e := object[*executable](a.Executable)
		shapes, err := e.outputs()
		var all []int64
		var ranks []int
		for _, s := range shapes {
			all, ranks = append(all, int64s(s.Dims)...), append(ranks, s.Rank())
		}
		a.NumOutputs, a.Dims, a.DimSizes = len(ranks), copied(&e.memory, all), copied(&e.memory, ranks)
		return err
	})
	on(abi.ExecutableSerialize, func(a *abi.ExecutableSerializeArgs) error {
		data := object[*executable](a.Executable).serialize()
		given := give(data)
		a.SerializedBytes, a.SerializedBytesSize = given, len(data)
		a.SerializedExecutable = abi.Handle(given)
		a.SerializedExecutableDeleter = deleter
		return nil
	})
	on(abi.ExecutableDeserializeAndLoad, func(a *abi.ExecutableDeserializeAndLoadArgs) error {
		code, options, err := parts(slices.Clone(abi.Bytes(a.SerializedExecutable, a.SerializedExecutableSize)))
		if err != nil {
			return err
		}
		if a.OverriddenSerializedCompileOptions != 0 {
			options = slices.Clone(abi.Bytes(a.OverriddenSerializedCompileOptions,
				a.OverriddenSerializedCompileOptionsSize))
		}
		p, err := object[*client](a.Client).compile(code, options)
		if err != nil {
			return err
		}
		a.LoadedExecutable = p.load()
		return nil
	})
	on(abi.ExecutableGetCompileOptions, func(a *abi.ExecutableGetCompileOptionsArgs) error {
		e := object[*executable](a.Executable)
		given := give(e.options)
		a.SerializedBytes, a.SerializedBytesSize = given, len(e.options)
		a.SerializedCompileOptions = abi.Handle(given)
		a.SerializedCompileOptionsDeleter = deleter
		return nil
	})
}

// kindsOf returns the kinds of memories.
func (e *executable) kindsOf(list []int) (abi.Ptr[abi.Ptr[byte]], abi.Ptr[int]) {
	var names []string
	for _, number := range list {
		names = append(names, kinds[number])
	}
	return e.strings(names)
}

// assignment returns the devices as a DeviceAssignmentProto.
func (p *program) assignment() []byte {
	data := withNumber(nil, fieldReplicaCount, uint64(p.replicas))
	data = withNumber(data, fieldPartitionCount, uint64(p.partitions))
	for partition := range p.partitions {
		var ids []int
		for replica := range p.replicas {
			ids = append(ids, p.devices[replica*p.partitions+partition].id)
		}
		data = withText(data, fieldDevices, withNumbers(nil, fieldID, ids))
	}
	return data
}

// saved begins what Serialize writes.
const saved = "calliope program 1\n"

// serialize returns the module and the options of its compile, which is done again where it is loaded.
func (p *program) serialize() []byte {
	data := binary.LittleEndian.AppendUint64([]byte(saved), uint64(len(p.options)))
	return append(append(data, p.options...), p.code...)
}

func parts(data []byte) (code, options []byte, err error) {
	text, ok := strings.CutPrefix(string(data), saved)
	if ok && len(text) >= 8 {
		n := binary.LittleEndian.Uint64([]byte(text[:8]))
		if rest := text[8:]; n <= uint64(len(rest)) {
			return []byte(rest[n:]), []byte(rest[:n]), nil
		}
	}
	return nil, nil, fmt.Errorf("%w: the data is no program that this plugin has serialized", errMistaken)
}

// execute runs a program.
func execute(a *abi.LoadedExecutableExecuteArgs) error {
	l := object[*loaded](a.Executable)
	options, _ := abi.Within[abi.ExecuteOptions](unsafe.Pointer(a.Options.Get()))
	switch {
	case a.NumDevices != len(l.devices):
		return fmt.Errorf("%w: the program runs on %d devices, not on %d", errMistaken, len(l.devices), a.NumDevices)
	case options.NumSendOps > 0 || options.NumRecvOps > 0:
		return fmt.Errorf("%w: send and recv of the host", errMissing)
	}
	x := &execution{launch: int64(options.LaunchId), on: l.devices, in: make([][]*buffer, a.NumDevices)}
	if a.ExecuteDevice != 0 {
		d := object[*device](a.ExecuteDevice)
		if !l.portable && d != l.devices[0] || d.client != l.client {
			return fmt.Errorf("%w: the device is not one of the program", errMistaken)
		}
		x.on = []*device{d}
	}
	if options.Context != 0 {
		x.context = object[*executeContext](options.Context)
	}
	x.given = append(make([]bool, l.main.Tokens), l.donated...)
	for _, i := range abi.List(options.NonDonatableInputIndices, options.NumNonDonatableInputIndices) {
		if i >= 0 && int(i) < len(x.given) {
			x.given[i] = false
		}
	}
	for device := range x.in {
		if a.NumArgs > 0 {
			for _, h := range abi.List(abi.List(a.ArgumentLists, a.NumDevices)[device], a.NumArgs) {
				x.in[device] = append(x.in[device], object[*buffer](h))
			}
		}
	}
	if err := l.start(x); err != nil {
		return err
	}
	for device, list := range x.out {
		if len(list) > 0 {
			to := abi.List(abi.List(a.OutputLists, a.NumDevices)[device], len(list))
			for i, b := range list {
				to[i] = handle(b)
			}
		}
		if a.DeviceCompleteEvents != 0 {
			abi.List(a.DeviceCompleteEvents, a.NumDevices)[device] = handle(event{x.over})
		}
	}
	return nil
}
