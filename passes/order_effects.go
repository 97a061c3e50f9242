package passes

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
)

// OrderEffects orders the callbacks of each effect that have no token: a token passes through
// them, in the order of the text, as in Migrate. It is for modules whose callbacks were added one by
// one, with the effect and without tokens. It returns the number of callbacks that it ordered.
//
// Callbacks without an effect stay as they are, and so do those of an effect that have a token. If an
// effect has both kinds, or one that waits for all effects (contract.AllEffects), the order of all would not be proven,
// and the result is an error before anything changes. After another error the module may be changed in part: to keep
// it, order a Clone.
func OrderEffects(m *mlir.Module) (int, error) {
	var effects []string
	waitingOf, ordered := map[string][]mlir.Operation{}, map[string]bool{}
	for call := range callop.Calls(m) {
		effect := call.Config.Effect
		switch {
		case call.Err != nil:
			return 0, fmt.Errorf("passes: OrderEffects: %w", call.Err)
		case effect == "":
		case call.Config.NumTokens > 0:
			ordered[effect] = true
		default:
			if waitingOf[effect] == nil {
				effects = append(effects, effect)
			}
			waitingOf[effect] = append(waitingOf[effect], call.Op)
		}
	}
	for _, effect := range effects {
		if ordered[effect] {
			return 0, fmt.Errorf("passes: OrderEffects: some callbacks of the effect %q have a token and some have none: give all of them one effect and no token, or order them by hand", effect)
		}
		if effect == contract.AllEffects {
			return 0, fmt.Errorf("passes: OrderEffects: callback %q is ordered against all effects (%q), and its tokens are not made here: build it by package builder", nameOf(waitingOf[effect][0]), effect)
		}
	}
	n := 0
	for _, effect := range effects {
		// Threading an effect makes operations again that are around its calls: find the
		// calls of the next one when it is its turn.
		calls := slices.Collect(func(yield func(mlir.Operation) bool) {
			for call := range callop.Calls(m) {
				if call.Config.Effect == effect && !yield(call.Op) {
					return
				}
			}
		})
		for _, op := range calls {
			op.SetAttribute(waiting, m.Context().UnitAttribute())
		}
		n += len(calls)
		if err := threadCalls(m, effect); err != nil {
			return n, fmt.Errorf("passes: OrderEffects: %w", err)
		}
	}
	return n, m.Verify()
}

func nameOf(op mlir.Operation) string {
	call, _ := callop.AsCall(op)
	return call.Config.Name()
}
