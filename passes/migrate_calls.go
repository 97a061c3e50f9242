package passes

import (
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// callTarget returns the target of a custom call as the name of a callback, or "" if the call
// has attributes for the handler of its target, which a callback does not get.
func callTarget(op mlir.Operation) string {
	call, ok := stablehlo.AsCustomCall(op)
	if !ok || len(call.CalledComputations) > 0 {
		return ""
	}
	for _, name := range []string{"backend_config", "mhlo.backend_config"} {
		a, _ := op.Attribute(name)
		if a.IsNil() {
			continue
		}
		if text, isText := a.Text(); isText && text == "" {
			continue
		}
		entries := 0
		for range a.Entries() {
			entries++
		}
		if !a.IsDictionary() || entries > 0 {
			return ""
		}
	}
	return call.Target
}

// findCalls finds the sites of custom calls.
func (g *migration) findCalls() {
	for _, op := range g.ops {
		if op.Name() != "stablehlo.custom_call" || g.stays(op) {
			continue
		}
		config, wanted := g.configOf(op)
		if !wanted {
			continue
		}
		if reason := g.callers.refuses(op); reason != "" {
			g.leave(op, "%s", reason)
			continue
		}
		g.sites = append(g.sites, &site{op: op, config: config, flag: -1})
	}
}

// configOf returns the configuration of the callback that a custom call becomes, without a
// token. It returns false if the call stays as it is.
func (g *migration) configOf(op mlir.Operation) (contract.Config, bool) {
	call, _ := stablehlo.AsCustomCall(op)
	if ours, ok := callop.AsCall(op); ok {
		config := ours.Config
		switch {
		case ours.Err != nil:
			g.leave(op, "%v", ours.Err)
		case config.Host.Encoding != contract.EncodingDictionary:
			g.leave(op, "the callback is bound by an id of another host, and takes no token")
		case config.Form != contract.Pure && config.NumTokens == 0 && config.Callback != callop.OverlapCallback:
			return config, true
		}
		return contract.Config{}, false
	}
	if !call.HasSideEffect || contract.XLATargetOf(call.Target) != contract.NotXLA {
		return contract.Config{}, false
	}
	for _, v := range call.Operands {
		if !v.Type().IsRankedTensor() {
			g.leave(op, "an operand is %s, not an array", v.Type())
			return contract.Config{}, false
		}
	}
	for _, t := range call.Results {
		if !t.IsRankedTensor() {
			g.leave(op, "a result is %s, not an array", t)
			return contract.Config{}, false
		}
	}
	if err := callop.CheckLayouts(call); err != nil {
		g.leave(op, "%v", err)
		return contract.Config{}, false
	}
	name := g.options.Callback(op)
	if name == "" {
		g.leave(op, "it has side effects, and there is no callback for the handler of @%s", call.Target)
		return contract.Config{}, false
	}
	config := contract.Config{Form: contract.Call, Callback: name, Registry: g.options.Registry}
	switch order, unfit := rewrite.PassthroughOrder(call); {
	case len(call.Results) == 0:
		config.Form = contract.Observe
	case unfit == nil && len(call.Aliases) == len(call.Operands) && slices.IsSorted(order):
		config.Form = contract.Passthrough
	}
	return config, true
}
