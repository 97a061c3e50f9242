package stages

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/text/nearest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

// A Decision is what becomes of a callback.
type Decision uint8

const (
	// Default leaves the decision to Options.Strategy.
	Default Decision = iota
	// Inline keeps the callback in its stage, whose device must be able to call back.
	Inline
	// Boundary makes the callback a boundary: the program calls it between stages.
	Boundary
	// Lower replaces the callback by the operations of Options.Lower.
	Lower
)

// String returns the name in lower case.
func (d Decision) String() string {
	switch d {
	case Default:
		return "default"
	case Inline:
		return "inline"
	case Boundary:
		return "cut"
	case Lower:
		return "lower"
	}
	return fmt.Sprintf("Decision(%d)", uint8(d))
}

// A Lowering is a callback as operations: it builds the results of a call from its arguments. A
// callback that has a Lowering and is pure needs no call at all.
type Lowering func(args []builder.Value) []builder.Value

// Options say how a module is cut.
type Options struct {
	// Devices run the stages. None is JIT(). Values cross between them only where that is needed.
	Devices []Device
	// Place returns the index in Devices of the device that runs a stage. nil is the first one for all. It may read
	// Stage.After, for example to run what follows a callback elsewhere.
	Place func(s *Stage) int
	// Lower has functions that build what a callback computes, by the callback's name. Only
	// callbacks of the form pure are lowered.
	Lower map[string]Lowering
	// Strategy decides about the callbacks that Force does not name. The zero value is ByDevice.
	Strategy Strategy
	// Force has decisions that differ from those of Policy, by the callback's name, or by "id N". It may
	// name callbacks of other modules, but Cut logs a name that is like one that the module calls.
	Force map[string]Decision
	// Fallback is what becomes of the stages that their engine refuses, as package jit does. The zero value has the
	// interpreter run them, and logs a warning.
	Fallback engine.Fallback
	// Compile says how engines compile the stages. Replicas of 0 are what the module says, or 1. The inputs and results
	// of a run are those of all replicas, one after the other. Each replica has its own values, and calls for itself,
	// and all of them meet for collective operations. A module of several partitions is not cut, so that its engine
	// must be able to run all of it.
	Compile engine.CompileOptions
	// Prepare says how modules are made fit for the engines.
	Prepare passes.PrepareOptions
}

func (o Options) check() error {
	if o.Strategy > Cheapest {
		return fmt.Errorf("stages: Options.Strategy is %v, which is no strategy: use ByDevice or Cheapest", o.Strategy)
	}
	if o.Fallback > engine.FallbackOn {
		return fmt.Errorf("stages: Options.Fallback is %v: use engine.FallbackOff, FallbackWarn or FallbackOn", o.Fallback)
	}
	for i, d := range o.Devices {
		if err := d.check(); err != nil {
			return fmt.Errorf("stages: Options.Devices[%d]: %w", i, err)
		}
	}
	for name, d := range o.Force {
		switch {
		case d > Lower:
			return fmt.Errorf("stages: Options.Force[%q] is %v, which is no decision", name, d)
		case d == Lower && o.Lower[name] == nil:
			return fmt.Errorf("stages: Options.Force[%q] is Lower, but Options.Lower has no function of that name",
				name)
		case d == Inline && !slices.ContainsFunc(o.devices(), Device.callsBack):
			return fmt.Errorf("stages: Options.Force[%q] is Inline, but %s cannot call back: use Boundary", name,
				o.devices()[0])
		}
	}
	for name, f := range o.Lower {
		if f == nil {
			return fmt.Errorf("stages: Options.Lower[%q] is nil", name)
		}
	}
	return nil
}

// warnForce logs the first name of Force that the module does not call, if it is like one that the module
// calls and Force does not name. It is not an error: one Options may serve several modules.
func (o Options) warnForce(m *mlir.Module) {
	if len(o.Force) == 0 {
		return
	}
	sites, err := o.sites(m)
	if err != nil {
		return // it may be in a function that does not run; find returns it
	}
	called := map[string]bool{}
	for _, s := range sites {
		called[s.Config.Name()] = true
	}
	unnamed := maps.Clone(called)
	maps.DeleteFunc(unnamed, func(name string, _ bool) bool { return o.Force[name] != Default })
	for _, name := range slices.Sorted(maps.Keys(o.Force)) {
		if called[name] {
			continue
		}
		if near := nearest.Name(name, maps.Keys(unnamed)); near != "" {
			slog.Warn("stages: the module does not call a callback that Options.Force names", "name", name, "nearest",
				near)
			return
		}
	}
}

func (o Options) devices() []Device {
	if len(o.Devices) == 0 {
		return []Device{JIT()}
	}
	return slices.Clone(o.Devices)
}

// callsBack reports whether all devices can call back, and why.
func (o Options) callsBack() (bool, string) {
	for _, d := range o.devices() {
		if !d.callsBack() {
			return false, fmt.Sprintf("%s cannot call back", d)
		}
	}
	return true, fmt.Sprintf("%s can call back", o.devices()[0])
}

// A Strategy decides about the callbacks that Options.Force does not decide about.
type Strategy uint8

const (
	// ByDevice keeps a callback inline where all devices can call back. Otherwise it lowers a callback that
	// Options.Lower has, and cuts at others.
	ByDevice Strategy = iota
	// Cheapest takes the possible way in which a call is estimated to take least time: inline, lowered if
	// Options.Lower has a function, or cut. Each callback is judged by itself.
	//
	// The estimates are of the bytes that a call moves, and of the time of the function: the mean of its measured calls
	// so far (see callbacks.Options.Measure), whatever their sizes. An unmeasured function counts as compiled code,
	// which is estimated by the bytes that it must read and write. See docs/stages.md for the rates.
	Cheapest
)

// String returns the name in lower case.
func (s Strategy) String() string {
	switch s {
	case ByDevice:
		return "by device"
	case Cheapest:
		return "cheapest"
	}
	return fmt.Sprintf("Strategy(%d)", uint8(s))
}
