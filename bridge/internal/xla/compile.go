//go:build cgo && !windows

package xla

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync/atomic"

	gopjrt "github.com/gomlx/gopjrt/pjrt"

	"github.com/calliope-mlir/calliope/internal/host/stack"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
)

// Executable is a compiled module.
type Executable struct {
	Name       string          // of the module
	NumOutputs int             // on one device
	Devices    []int           // one for each replica or partition in this process; nil if any single device will do
	PJRT       pjrt.Executable // for runs; valid until Close
	Program    []byte          // the optimized program, see pjrt.Plugin.LastProgram

	gopjrt *gopjrt.LoadedExecutable
}

// CompileOptions are the options of Compile. At most one of the two numbers is above 1.
type CompileOptions struct {
	Replicas   int               // number of devices that each run the whole module
	Partitions int               // number of devices that share one run
	GSPMD      bool              // whether GSPMD divides the module, and not Shardy
	Flags      map[string]string // fields of XLA's DebugOptions, by name
	Within     func(func())      // calls the function, in which XLA makes the executable; may be nil
}

// overrides returns the flags as the field env_option_overrides of a CompileOptionsProto,
// a map from string to OptionOverrideProto (xla/pjrt/proto/compile_options.proto). XLA parses
// the value of a string_field by the type of the flag.
func overrides(flags map[string]string) (proto []byte) {
	const envOptionOverrides, key, value, stringField = 7, 1, 2, 1
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		option := bytesField(nil, stringField, flags[name])
		entry := bytesField(bytesField(nil, key, name), value, string(option))
		proto = bytesField(proto, envOptionOverrides, string(entry))
	}
	return proto
}

// withoutShardy returns fields of a CompileOptionsProto that clear the field
// use_shardy_partitioner, which gopjrt sets for partitions. XLA merges them into what gopjrt
// writes.
func withoutShardy() (proto []byte) {
	const executableBuildOptions, useShardyPartitioner = 3, 19
	option := binary.AppendUvarint(nil, useShardyPartitioner<<3)
	return bytesField(nil, executableBuildOptions, string(append(option, 0)))
}

// bytesField appends a field to a message in the wire format of Protocol Buffers.
func bytesField(message []byte, number uint64, value string) []byte {
	message = binary.AppendUvarint(message, number<<3|2)
	message = binary.AppendUvarint(message, uint64(len(value)))
	return append(message, value...)
}

// maxShallow is the size in bytes up to which a program is compiled on an ordinary stack.
// XLA's parser and passes recurse once for each level of nesting, and a program of this
// size cannot be nested too deeply.
const maxShallow = 4 << 10

var executables atomic.Int64

// ExecutablesAlive returns the number of executables in the process that are not closed.
func ExecutablesAlive() int64 { return executables.Load() }

// A job is a compile, or a load of what was compiled.
type job struct {
	program []byte // a module, or what Serialize returned
	options CompileOptions

	load      bool
	optimized []byte // of a load
}

// Compile compiles a StableHLO module, as text or bytecode.
func (c *Client) Compile(program []byte, o CompileOptions) (*Executable, error) {
	j := job{program: program, options: o}
	if len(program) <= maxShallow {
		return c.do(j)
	}
	return c.onLarge(j)
}

// Load makes an executable of what Serialize returned, and of the optimized program, which
// XLA would take a tenth of the time of a load to write again. The options are those of the
// compile; their flags are not used. The plugin must be one that CanSave.
func (c *Client) Load(saved, optimized []byte, o CompileOptions) (*Executable, error) {
	return c.onLarge(job{program: saved, options: o, load: true, optimized: optimized})
}

// onLarge does a job on a thread with a large stack. Starting one takes far less time than
// compiling.
func (c *Client) onLarge(j job) (e *Executable, err error) {
	if failed := stack.OnLarge(func() { e, err = c.do(j) }); failed != nil {
		return nil, failed
	}
	return e, err
}

// do does a job, and takes the objects that XLA made on this thread.
func (c *Client) do(j job) (*Executable, error) {
	config := c.gopjrt.Compile().WithStableHLO(j.program)
	switch {
	case j.options.Replicas > 1:
		config = config.WithSPMD(j.options.Replicas)
	case j.options.Partitions > 1:
		config = config.WithShardy(j.options.Partitions)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var loaded *gopjrt.LoadedExecutable
	var err error
	done := func() { loaded, err = config.Done() }
	if within := j.options.Within; within != nil {
		inner := done
		done = func() { within(inner) }
	}
	optimized := j.optimized
	if j.load {
		pjrt.LoadInstead(done)
	} else {
		proto := overrides(j.options.Flags)
		if j.options.GSPMD && j.options.Partitions > 1 {
			proto = append(proto, withoutShardy()...)
		}
		pjrt.AddOptions(proto, done)
		optimized = c.plugin.pjrt.LastProgram()
	}
	own := c.plugin.pjrt.LastExecutable()
	if err != nil {
		return nil, pluginError(err)
	}
	e := &Executable{Name: loaded.Name, NumOutputs: loaded.NumOutputs, PJRT: own, Program: optimized, gopjrt: loaded}
	if !loaded.IsPortable() {
		_, _, assigned, err := loaded.GetDeviceAssignment()
		if err != nil {
			return nil, errors.Join(pluginError(err), loaded.Destroy())
		}
		if e.Devices = c.pjrt.Local(assigned); len(e.Devices) == 0 {
			return nil, errors.Join(fmt.Errorf("none of the devices that run the program, %v, is in this process: compile it for all devices of the client", assigned), loaded.Destroy())
		}
	}
	executables.Add(1)
	return e, nil
}

// Close frees the executable. It must be called once, after its last run.
func (e *Executable) Close() error {
	executables.Add(-1)
	if err := e.gopjrt.Destroy(); err != nil {
		return pluginError(err)
	}
	return nil
}
