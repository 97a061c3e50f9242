package load

import (
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

// A replicated is a compiled module that computes what several devices do, on one device.
type replicated struct {
	engine.Executable
	replicas int
}

// NumDevices implements engine.Executable: a run has the inputs of each replica.
func (r *replicated) NumDevices() int { return r.replicas }

// Inputs implements engine.Executable.
func (r *replicated) Inputs() []tensor.Shape { return r.ofOne(r.Executable.Inputs()) }

// Outputs implements engine.Executable.
func (r *replicated) Outputs() []tensor.Shape { return r.ofOne(r.Executable.Outputs()) }

func (r *replicated) ofOne(shapes []tensor.Shape) []tensor.Shape {
	return shapes[:len(shapes)/r.replicas]
}
