package stages

import (
	"context"
	"slices"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/dispatch"
)

// A Device runs stages. [On], [JIT] and [Interpreter] return the devices that there are.
type Device interface {
	// String describes the device in a few words.
	String() string

	// check returns an error if the device does not exist.
	check() error
	// callsBack reports whether compiled code can call back.
	callsBack() bool
	// compile compiles a stage, whose module has a context of its own, and may change that; exact is Options.Exact.
	compile(ctx context.Context, s *Stage, exact bool) (*compiledStage, error)
	// place returns where arrays on the device are, or the zero place if it has no memory of its own.
	place() place
}

// A place is the memory of a client's device, or that of the host.
type place struct {
	client *bridge.Client // nil for the host
	number int            // of the device
}

// A compiledStage may be run several times at once, and on all devices of its engine.
type compiledStage struct {
	executable engine.Executable
	calls      bool  // it ends, or what it calls does, with the context of its run
	why        error // package jit has refused it, and the interpreter runs it
}

// run computes the outputs at a place, or at those of all replicas that execute the stage together. The inputs and
// outputs are in the order of the places. It does not release the inputs, and may donate those that donate is true for.
func (c *compiledStage) run(ctx context.Context, at []place, inputs []*value, donate []bool) ([]*value, error) {
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
	if len(list) == 0 && len(at) == 1 && at[0].number > 0 {
		ctx = engine.OnDevice(ctx, at[0].number)
	}
	arrays, err := c.executable.Run(ctx, list...)
	if err != nil {
		return nil, err
	}
	return onDevices(arrays), nil
}
