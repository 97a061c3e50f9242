package stages

import (
	"fmt"

	"github.com/calliope-mlir/calliope/builder"
)

// A Decision is what becomes of a callback.
type Decision uint8

const (
	// Default leaves the decision to Options.Policy.
	Default Decision = iota
	// Inline keeps the callback in its stage. The device must be able to call back.
	Inline
	// CutAt makes the callback a boundary: the program calls it between stages.
	CutAt
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
	case CutAt:
		return "cut"
	case Lower:
		return "lower"
	}
	return fmt.Sprintf("Decision(%d)", uint8(d))
}

// A Func is a callback as operations: it builds the results of a call from its arguments. A
// callback that has a Func and is pure needs no call at all.
type Func func(args []builder.Value) []builder.Value

// Options say how a module is cut.
type Options struct {
	// Device runs the stages. nil is Interpreter().
	Device Device
	// Lower has functions that build what a callback computes, by the callback's name. Only
	// callbacks of the form pure are lowered.
	Lower map[string]Func
	// Policy decides about the callbacks that Force does not name. The zero value is ByDevice.
	Policy Policy
	// Force has decisions that differ from those of Policy, by the callback's name, or by "id N".
	Force map[string]Decision
}

func (o Options) check() error {
	if o.Policy > Cheapest {
		return fmt.Errorf("stages: Options.Policy is %v, which is no policy: use ByDevice or Cheapest", o.Policy)
	}
	for name, d := range o.Force {
		switch {
		case d > Lower:
			return fmt.Errorf("stages: Options.Force[%q] is %v, which is no decision", name, d)
		case d == Lower && o.Lower[name] == nil:
			return fmt.Errorf("stages: Options.Force[%q] is Lower, but Options.Lower has no function of that name", name)
		case d == Inline && !o.device().callsBack():
			return fmt.Errorf("stages: Options.Force[%q] is Inline, but %s cannot call back: use CutAt", name, o.device())
		}
	}
	for name, f := range o.Lower {
		if f == nil {
			return fmt.Errorf("stages: Options.Lower[%q] is nil", name)
		}
	}
	return nil
}

func (o Options) device() Device {
	if o.Device == nil {
		return Interpreter()
	}
	return o.Device
}
