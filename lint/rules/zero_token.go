package rules

import (
	"slices"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
)

// ZeroToken reports calls with side effects that an array without elements is to order.
var ZeroToken = &lint.Analyzer{
	Name:     "zero-token",
	Doc:      "an array without elements orders nothing, because XLA replaces it by a constant",
	Run:      zeroToken,
	Severity: finding.Warning,
	Details: `Severity: warning.

Two calls with side effects are ordered if one depends on a result of the other. An array without elements has no value
to wait for: XLA replaces it by a constant, and the calls may run in any order.

    %0 = stablehlo.custom_call @first(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<0xi8>
    %1 = stablehlo.custom_call @second(%0) {has_side_effect = true} : (tensor<0xi8>) -> tensor<0xi8>

Use an array of one byte, tensor<1xi8>. The rule follows the arrays through functions, loops and branches. There is no
repair, because the handlers see the arrays.`,
}

func zeroToken(p *lint.Pass) error {
	known := map[mlir.Type]bool{}
	zero := func(t mlir.Type) bool {
		is, ok := known[t]
		if !ok {
			dims, _ := t.Dims()
			is = t.IsRankedTensor() && slices.Contains(dims, 0)
			known[t] = is
		}
		return is
	}
	start := map[mlir.Value]reach{}
	var takers []*call
	for _, c := range callsOf(p) {
		if !c.HasSideEffect || c.ofXLA() {
			continue
		}
		for i, t := range c.Results {
			if zero(t) {
				start[c.op.Result(i)] = 0
			}
		}
		if slices.ContainsFunc(c.Operands, func(v mlir.Value) bool { return zero(v.Type()) }) {
			takers = append(takers, c)
		}
	}
	if len(start) == 0 || len(takers) == 0 {
		return nil
	}
	f := newFlow(p)
	f.orders = zero
	way := f.follow(start)
	for _, c := range takers {
		for i, v := range c.Operands {
			if way.seen[v] {
				p.Report(c.op, finding.Warning, "operand %d of the call of @%s, %s, is to order it after another call, but XLA replaces an array without elements by a constant: use tensor<1xi8>", i, c.Target, v.Type())
				break
			}
		}
	}
	return nil
}
