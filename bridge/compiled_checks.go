package bridge

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/bridge/internal/hlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// A LayoutError reports an array that XLA would lay out in another order than row-major,
// and that Go reads or writes. Go does not see the order and would take each value for
// another element.
type LayoutError struct {
	// Target is that of the custom call, or "" for a parameter of the module.
	Target string
	Config string // the backend_config of the call, as XLA has it
	At     string // file and line of the call, "" if unknown
	What   string // "operand", "parameter" or "result"
	Index  int
	Shape  tensor.Shape
	Layout []int64 // minor to major
}

// Error includes what to change in the module.
func (e *LayoutError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "bridge: %s %d of ", e.What, e.Index)
	if e.Target == "" {
		b.WriteString("the module")
	} else {
		fmt.Fprintf(&b, "the call of @%s", e.Target)
		if e.Config != "" {
			fmt.Fprintf(&b, " with %.200s", e.Config)
		}
		if e.At != "" {
			fmt.Fprintf(&b, " at %s", e.At)
		}
	}
	fmt.Fprintf(&b, ", %s, has the layout %v (minor to major), but Go needs row-major order: remove ", e.Shape,
		e.Layout)
	if e.Target == "" {
		b.WriteString("mhlo.layout_mode and similar attributes from the module")
	} else {
		b.WriteString("operand_layouts, result_layouts and mhlo.layout_mode from the module (if there are none, XLA has chosen it: call passes.Prepare)")
	}
	b.WriteString(", or transpose the array in it")
	return b.String()
}

// checkLayouts checks in XLA's optimized program that the module's parameters, and the
// operands and results of calls of the targets, are row-major. Results of the module may
// have another order; see rowMajor. Neither the call frames nor the attributes of the
// typed FFI have layouts, so this is the only place that has them. It returns nil if the
// program cannot be read.
func checkLayouts(program []byte, targets map[string]bool) error {
	if a, found := hlo.OtherLayout(program, targets); found {
		return (*LayoutError)(&a)
	}
	return nil
}

// checkPolicies returns an error if the device policy of a call names a device that the program
// does not run on: no device would make the call.
func checkPolicies(program []byte, targets map[string]bool, devices int) error {
	if !bytes.Contains(program, []byte("policy")) {
		return nil // most programs, without a look at their instructions
	}
	for _, call := range hlo.Calls(program, targets) {
		s := callSite(call)
		p, err := s.Config.Policy.Placement()
		if err != nil {
			return fmt.Errorf("bridge: compile: callback %q: %w", s.Name, err)
		}
		if p.Device >= devices {
			return fmt.Errorf("bridge: compile: callback %q is called by device %d only (policy %q), and the program runs on %d: increase Replicas or Partitions, or name another device",
				s.Name, p.Device, s.Config.Policy, devices)
		}
	}
	return nil
}

// checkFeeds returns an error if XLA's optimized program has an outfeed or an infeed: PJRT has no call for the
// other end, so a run would never end.
func checkFeeds(program []byte) error {
	name, place := hlo.Feed(program)
	if name == "" {
		return nil
	}
	if place != "" {
		place = " at " + place
	}
	return fmt.Errorf("bridge: compile: the module has an %s%s, which would wait forever, because nothing is at its other end: "+
		"make a callback of it with passes.Migrate", name, place)
}

// checkPermutes returns an error if a collective permute of XLA's optimized program names a device that there is not:
// XLA ends the process when such a program runs.
func checkPermutes(program []byte, devices int) error {
	n, place := hlo.Permute(program)
	if n < devices {
		return nil
	}
	if place != "" {
		place = " at " + place
	}
	return fmt.Errorf("bridge: compile: the collective_permute%s names device %d, and the module is compiled for %d: "+
		"raise CompileOptions.Replicas or Partitions, or give it other pairs", place, n, devices)
}
