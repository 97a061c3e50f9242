package preflight

import (
	"fmt"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/mlir"
)

// A Wait is a call of a callback that is registered as callbacks.Deferred but will not
// overlap with other calls.
type Wait struct {
	Operation mlir.Operation // the call; valid as long as the module is
	Position  mlir.Position  // zero if unknown
	Callback  string         // its name, or "id N"
	Registry  string
	Reason    string // why it does not overlap, and what to change
}

// String returns the position, the callback and the reason.
func (w Wait) String() string {
	return fmt.Sprintf("%s: callback %q is registered as Deferred but will not overlap: %s", w.Position, w.Callback,
		w.Reason)
}

// Waits returns the calls of a module that are Deferred in their registry now and gain
// nothing by it: no other such call is independent of them, or XLA's CPU backend will run
// them one after the other. The number of steps that XLA makes of operations is estimated,
// so near its limit the list may lack a call or have one too many.
//
// Waits does not change the module. Like the module, it must not be used by several
// goroutines at the same time.
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
			w := &Wait{Operation: call.Op, Position: call.Op.Location().Position(), Callback: call.Config.Name(),
				Registry: call.Config.Registry}
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

// sequential returns why XLA runs the calls of a group one after the other, or "" if it
// does not.
func sequential(g callop.Group) string {
	const help = ": set builder.Options.Overlap, or use passes.LetOverlap"
	switch {
	case g.Bytes <= callop.SequentialBytes:
		return fmt.Sprintf("XLA runs steps on arrays of up to %d bytes in sequence, and the largest array has %d%s",
			callop.SequentialBytes, g.Bytes, help)
	case g.Steps <= callop.SequentialSteps:
		return fmt.Sprintf("XLA runs up to %d steps in sequence, and there are about %d%s", callop.SequentialSteps,
			g.Steps, help)
	case g.Shared && !g.Helped:
		return "an operand is used by only one call, and XLA may reuse its memory for the next call's operand, which then waits" + help
	}
	return ""
}
