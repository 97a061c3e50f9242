package engine

import (
	"context"

	"github.com/calliope-mlir/calliope/tensor"
)

// An Executable is a compiled module. It is safe for concurrent use.
type Executable interface {
	// Run runs the module. The inputs are in the order of the module's parameters; if it runs on several devices, first
	// all inputs of the first device. So are the results, which the caller must close.
	Run(ctx context.Context, inputs ...Input) ([]*Array, error)
	// Inputs and Outputs return the shapes of the parameters and results, those of one device.
	Inputs() []tensor.Shape
	Outputs() []tensor.Shape
	// NumDevices returns for how many devices a run takes inputs and returns results.
	NumDevices() int
	// Call runs the module on host arrays, and returns host arrays. The inputs are copied.
	Call(ctx context.Context, inputs ...tensor.View) ([]tensor.View, error)
	// Barrier waits until every callback of every earlier run is done, and returns the errors of taps since the last
	// one, as callbacks.Barrier does for all.
	Barrier(ctx context.Context, name string) error
	// OnClose registers a function to be called when the executable is closed and its last run is over, or at once if
	// that has happened. It does nothing with nil.
	OnClose(f func())
	// Close releases the module. Runs in flight go on. Closing it again does nothing.
	Close() error
}

// Cloned returns a copy of shapes, which the caller may change.
func Cloned(shapes []tensor.Shape) []tensor.Shape {
	list := make([]tensor.Shape, len(shapes))
	for i, s := range shapes {
		list[i] = s.Clone()
	}
	return list
}
