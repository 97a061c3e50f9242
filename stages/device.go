package stages

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/interpreter"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/passes"
)

// A Device runs stages. Devices can be compared by ==.
type Device struct {
	Engine engine.Engine
	Number int // among the engine's devices
}

// On returns devices of an engine by their numbers, or the first one if there are none. The engine must stay open as
// long as what is compiled on it: see bridge.Client.Engine.
func On(e engine.Engine, devices ...int) []Device {
	if len(devices) == 0 {
		devices = []int{0}
	}
	list := make([]Device, len(devices))
	for i, n := range devices {
		list[i] = Device{e, n}
	}
	return list
}

// JIT returns the device of package jit: stages are compiled by MLIR and LLVM, and need no plugin. Compile leaves a
// module whole for it, with its callbacks in compiled code. A module that jit refuses is cut, and Options.Fallback says
// what becomes of the stages that jit refuses.
func JIT() Device { return Device{Engine: jit.Engine()} }

// Interpreter returns the device of package interpreter.
func Interpreter() Device { return Device{Engine: interpreter.Engine()} }

// String describes the device in a few words.
func (d Device) String() string {
	if d.Engine == nil {
		return "no device"
	}
	if d.onHost() {
		return d.Engine.String()
	}
	return fmt.Sprintf("%s's device %d", d.Engine, d.Number)
}

// check returns an error if the device does not exist.
func (d Device) check() error {
	if d.Engine == nil {
		return errors.New("it has no engine: use On, JIT or Interpreter")
	}
	if n := d.Engine.NumDevices(); d.Number < 0 || d.Number >= n {
		return fmt.Errorf("there is no device %d; %s has %d, numbered from 0: see ClientOptions.Devices", d.Number,
			d.Engine, n)
	}
	return nil
}

// callsBack reports whether the code of each stage can call back.
func (d Device) callsBack() bool {
	can := d.Engine.Can()
	return can.Callbacks && can.All
}

// onHost reports whether the device has no memory of its own.
func (d Device) onHost() bool { return d.Engine.Can().OnHost }

// memory returns the number of the device in whose memory arrays on it are: replicas share that of the host.
func (d Device) memory() int {
	if d.onHost() {
		return 0
	}
	return d.Number
}

// has reports whether an array is on the device.
func (d Device) has(a *engine.Array) bool { return d.Engine.Owns(a) && a.Device() == d.memory() }

// A compiledStage may be run several times at once, and on all devices of its engine.
type compiledStage struct {
	executable engine.Executable
	calls      bool  // it ends, or what it calls does, with the context of its run
	why        error // its engine has refused it, and the interpreter runs it
}

// compile compiles a stage, whose module has a context of its own.
func (p *Plan) compile(ctx context.Context, s *Stage) (*compiledStage, error) {
	d := p.devices[s.Device]
	o, prepare := p.optionsOf(s), p.prepare
	prepare.PoliciesApplied, prepare.RuntimeTokens = true, false // Cut has done both for the whole module
	m := stageModule{passes.Program(s.module, prepare), o.JAXCallbacks}
	made := &compiledStage{calls: d.onHost() || len(o.JAXCallbacks) > 0 || len(o.Foreign) > 0}
	for range callop.Calls(s.module) {
		made.calls = true
	}
	var err error
	if made.executable, err = d.Engine.Compile(ctx, m, o); err == nil {
		return made, nil
	}
	err = fmt.Errorf("stages: %s: %w", s.Name, err)
	if _, refused := errors.AsType[*engine.RefusedError](err); !refused || p.fallback == engine.FallbackOff {
		return nil, err
	}
	made.why = err
	if made.executable, err = Interpreter().Engine.Compile(ctx, m, o); err != nil {
		return nil, errors.Join(made.why, fmt.Errorf("stages: %s: %w", s.Name, err))
	}
	return made, nil
}

// A stageModule is the module of a stage.
type stageModule struct {
	passes.Prepared
	jax []string
}

// Describe implements bridge.DescribedProgram. A stage has no runtime tokens, see refuse, and only some
// of the module's calls of JAX.
func (s stageModule) Describe(version string, placed bool) (contract.Module, error) {
	m, err := s.Prepared.Describe(version, placed)
	m.Effects = nil
	if len(s.jax) > 0 {
		m.Calls = nil
	}
	return m, err
}

// run computes the outputs on a device, or on those of all replicas that execute the stage together. The inputs and
// outputs are in the order of the devices. It does not release the inputs, and may donate those that donate is true
// for.
func (c *compiledStage) run(ctx context.Context, at []Device, inputs []*value, donate []bool) ([]*value, error) {
	list := make([]engine.Input, len(inputs))
	donate = slices.Clone(donate)
	for i, v := range inputs {
		a, err := v.on(ctx, at[i/len(donate)])
		if err != nil {
			return nil, err
		}
		list[i] = a
		donate[i%len(donate)] = donate[i%len(donate)] && v.last(a)
	}
	for i, v := range inputs {
		if a := list[i].(*engine.Array); donate[i%len(donate)] {
			v.give(a)
			list[i] = engine.Donate(a)
		}
	}
	if !c.calls {
		// Nothing but the caller can stop it, and an execution that cannot be stopped is started on this goroutine.
		ctx = dispatch.RunOf(ctx).Outer()
	}
	if len(list) == 0 && len(at) == 1 && at[0].Number > 0 {
		ctx = engine.OnDevice(ctx, at[0].Number)
	}
	arrays, err := c.executable.Run(ctx, list...)
	if err != nil {
		return nil, err
	}
	return onDevices(arrays), nil
}
