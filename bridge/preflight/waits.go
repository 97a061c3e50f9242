package preflight

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/dispatch"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
)

// Wait is a callback that is registered as callbacks.Deferred, so that calls which do
// not depend on one another overlap, and that runs alone all the same.
type Wait struct {
	Operation mlir.Operation // the call; valid as long as the module is
	Position  mlir.Position  // where it stands, zero where the module does not say
	Callback  string         // its name, or "id N"
	Registry  string
	Reason    string // why, and what helps
}

// String is the place, the callback and the reason.
func (w Wait) String() string {
	return fmt.Sprintf("%s: callback %q is registered as Deferred and will not overlap: %s", w.Position, w.Callback, w.Reason)
}

// Waits lists the calls of a module that are Deferred in their registry at this moment
// and gain nothing by it: no other such call is independent of them, or XLA's CPU will
// run them one after the other. How many steps XLA makes of operations is estimated, so
// where there are about as many as it takes, a call may be missing here, or too many.
//
// It reads the module and changes nothing; like the module, it is for one goroutine at
// a time.
func Waits(m *mlir.Module, o Options) []Wait {
	isLive := map[mlir.Operation]bool{}
	for _, op := range live(m) {
		isLive[op] = true
	}
	var order []mlir.Operation
	waits := map[mlir.Operation]*Wait{}
	deferred := func(call callop.Call) bool {
		if !isLive[call.Op] {
			return false
		}
		slot, err := dispatch.Probe(call.Config)
		if err != nil {
			return false
		}
		if slot.Deferred() && waits[call.Op] == nil {
			w := &Wait{Operation: call.Op, Position: call.Op.Location().Position(), Callback: call.Config.Name(), Registry: call.Config.Registry}
			if w.Position.File == "-" && o.File != "" {
				w.Position.File = o.File
			}
			w.Reason = "no other deferred call is independent of it"
			waits[call.Op] = w
			order = append(order, call.Op)
		}
		return slot.Deferred()
	}
	overlaps := map[mlir.Operation]bool{}
	for _, g := range callop.Groups(m, deferred) {
		if !g.Independent {
			continue
		}
		reason := sequential(g)
		for _, op := range g.Callbacks {
			waits[op].Reason = reason
			overlaps[op] = overlaps[op] || reason == ""
		}
	}
	var list []Wait
	for _, op := range order {
		if !overlaps[op] {
			list = append(list, *waits[op])
		}
	}
	return list
}

// sequential says why XLA runs the calls of a group one after the other, "" where it does
// not.
func sequential(g callop.Group) string {
	const help = ": set builder.Options.Overlap, or use passes.LetOverlap"
	switch {
	case g.Bytes <= callop.SequentialBytes:
		return fmt.Sprintf("XLA runs what works on arrays of %d bytes and less in sequence, and the largest one has %d%s", callop.SequentialBytes, g.Bytes, help)
	case g.Steps <= callop.SequentialSteps:
		return fmt.Sprintf("XLA runs %d steps and fewer in sequence, and there are about %d%s", callop.SequentialSteps, g.Steps, help)
	case g.Shared && !g.Helped:
		return "an operand is computed for a call alone, and XLA may give its memory to the next call's, which then waits" + help
	}
	return ""
}
