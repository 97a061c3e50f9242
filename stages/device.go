package stages

import (
	"context"

	"github.com/calliope-mlir/calliope/bridge"
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
	compile(ctx context.Context, s *Stage, exact bool) (compiledStage, error)
	// place returns where arrays on the device are, or the zero place if it has no memory of its own.
	place() place
}

// A place is the memory of a client's device, or that of the host.
type place struct {
	client *bridge.Client // nil for the host
	number int            // of the device
}

// A compiledStage may be run several times at once, and on all devices of its client.
type compiledStage interface {
	// run computes the outputs at a place, or at those of all replicas that execute the stage together. The inputs
	// and outputs are in the order of the places. It does not release the inputs, and may donate those that
	// donate is true for.
	run(ctx context.Context, at []place, inputs []*value, donate []bool) ([]*value, error)
	close() error
}
