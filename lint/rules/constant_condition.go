package rules

import (
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
)

// ConstantCondition reports loops that run zero times or forever.
var ConstantCondition = &lint.Analyzer{
	Name:     "constant-condition",
	Doc:      "the condition of a loop never changes, so that the loop runs zero times or forever",
	Run:      constantCondition,
	Severity: finding.Warning,
	Details: `Severity: warning.

The condition of a while depends on what its body computes, or the loop runs zero times or forever. The rule reports a loop
if nothing that its condition computes with changes: constants, values from outside, and what the body returns as it took
it.

    %r:2 = stablehlo.while(%i = %zero, %x = %y) : tensor<i32>, tensor<f32>
    cond {
      %0 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    } do {
      %1 = stablehlo.add %x, %x : tensor<f32>
      stablehlo.return %i, %1 : tensor<i32>, tensor<f32>   // %i is not counted
    }

A condition with a custom call, an infeed, a recv or a random number is not reported: it may change. A callback in the body
may end such a loop with an error, so the finding is a warning. Source: StableHLO's specification, while.`,
}

// changing are the operations whose results may differ from one iteration to the next.
var changing = map[string]bool{
	"stablehlo.custom_call": true, "stablehlo.infeed": true, "stablehlo.outfeed": true, "stablehlo.recv": true,
	"stablehlo.send": true, "stablehlo.rng": true, "func.call": true, "stablehlo.composite": true,
}

func constantCondition(p *lint.Pass) error {
	for loop := range p.Operations("stablehlo.while") {
		test, body := loop.Region(0).First(), loop.Region(1).First()
		if test.IsNil() || body.IsNil() || test.Terminator().NumOperands() != 1 {
			continue
		}
		if !changes(loop, test.Terminator().Operand(0), map[mlir.Value]bool{}) {
			p.Report(loop, finding.Warning,
				"nothing changes the condition of this loop: it runs zero times or forever: compute it with what the body returns")
		}
	}
	return nil
}

// changes reports whether a value of the condition of a loop may differ from one iteration to the next.
func changes(loop mlir.Operation, v mlir.Value, seen map[mlir.Value]bool) bool {
	test, body := loop.Region(0).First(), loop.Region(1).First()
	if v.IsArgument() {
		return v.Block() == test && body.Terminator().Operand(v.Index()) != body.Argument(v.Index())
	}
	op := v.Owner()
	if op.Block() != test || seen[v] {
		return false
	}
	seen[v] = true
	if op.NumRegions() > 0 || changing[op.Name()] || !op.IsRegistered() {
		return true // what is in the regions is not looked at
	}
	for _, operand := range op.Operands() {
		if changes(loop, operand, seen) {
			return true
		}
	}
	return false
}
