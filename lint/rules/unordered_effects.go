package rules

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes/order"
)

// UnorderedEffects reports every call with a side effect that does not depend on an earlier call
// of the same effect: see order.Unordered.
var UnorderedEffects = &lint.Analyzer{
	Name:     "unordered-effects",
	Doc:      "two calls of one effect that do not depend on each other may run in any order",
	Run:      unorderedEffects,
	Severity: finding.Warning,
	Details: `Severity: warning.

has_side_effect keeps a call, and does not order it. Two calls of one effect are ordered only if one depends on the
other, through values or tokens. Otherwise XLA may run them in any order, or at the same time.

    %1 = stablehlo.custom_call @calliope_io_callback(%x, %t) {…} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
    %2 = stablehlo.custom_call @calliope_io_callback(%y, %t) {…} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>

Here the second call has to take %1. In a loop, the body has to return the token, and the next iteration to take it. The
rule follows values through functions, loops and branches.

Of one effect are

- callbacks with the same effect in their backend_config, and those of the effect "*" with all others,
- callbacks with a token (n_tokens) and no effect,
- all outfeeds, and all infeeds,
- custom calls of one target with a token of type !stablehlo.token; those on tokens that come from one parameter of main
  are an effect of their own.

All other calls are in no order, and may run at any time: two callbacks of the form observe that have neither a token nor
an effect may run in any order, and the rule does not report them. It notes such a call if another call of the same
callback or target has a token or an effect, because one of the two is often a mistake. It does not compare JAX's
callbacks, which share a target. docs/effects.md explains effects.`,
}

func unorderedEffects(p *lint.Pass) error {
	for _, pair := range order.Loose(p.Module, p.Index) {
		message := fmt.Sprintf("this call of %s may run at any time, though the one at %s is in an order: "+
			"give both a token of one chain, or one effect, if their order matters", pair.Second.Callee, p.Place(pair.First.Op))
		p.Add(pair.Second.Op, finding.Finding{Severity: finding.Note, Message: message,
			Related: p.Related(pair.First.Op, pair.First.Callee)})
	}
	result, err := order.Unordered(p.Module, order.Options{Index: p.Index})
	if errors.Is(err, order.ErrTooLarge) {
		p.Report(p.Module.Operation(), finding.Note,
			"the order of the calls is not checked: the program is too large with its functions inlined")
		return nil
	}
	if err != nil {
		return err
	}
	// One finding for each call: the pair with the nearest call before it is the first.
	reported := map[mlir.Operation]bool{}
	for _, pair := range result.Pairs {
		if !reported[pair.Second.Op] {
			reported[pair.Second.Op] = true
			f := finding.Finding{Severity: finding.Warning, Message: pair.Text(func(op mlir.Operation) string {
				if op == pair.Second.Op { // the finding is there
					return ""
				}
				return p.Place(op)
			}) + ": it may run before it, or at the same time: pass a token from one to the other"}
			if pair.First.Op != pair.Second.Op {
				f.Related = p.Related(pair.First.Op, pair.First.Callee)
			}
			p.Add(pair.Second.Op, f)
		}
	}
	return nil
}
