package stages

import (
	"context"
	"sync"

	"github.com/calliope-mlir/calliope/bridge"
)

// A Device runs stages. [On] and [Interpreter] return the devices that there are.
type Device interface {
	// String describes the device in a few words.
	String() string

	// callsBack reports whether compiled code can call back.
	callsBack() bool
	// compile compiles a stage. It holds reading while it uses the context of the stage's module.
	compile(ctx context.Context, s *Stage, reading *sync.Mutex) (program, error)
	// client returns the client of the device, or nil.
	client() *bridge.Client
}

// A program is a compiled stage. It may be run several times at once.
type program interface {
	// run computes the outputs. It does not close the inputs.
	run(ctx context.Context, inputs []*value, donate []bool) ([]*value, error)
	close() error
}
