package rules

import (
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
)

// CallbackInLoop reports callbacks that run in each iteration of a loop.
var CallbackInLoop = &lint.Analyzer{
	Name:     "callback-in-loop",
	Doc:      "a callback in a loop runs in each iteration",
	Run:      callbackInLoop,
	Severity: finding.Note,
	Details: `Severity: note.

A callback in the body or the condition of a stablehlo.while, or in a function that is called there, runs in each
iteration, and the device waits for it. This is a note: it is often intended.

If the function only reports, set the key every, which calls it in each n-th iteration only, or collect the values in the
loop and call it once, after the loop.`,
}

func callbackInLoop(p *lint.Pass) error {
	if !p.Index.Has("stablehlo.while") {
		return nil
	}
	var f *flow
	loops := map[mlir.Operation]mlir.Operation{} // of a function: a loop that calls it, or nil
	var loopOf func(op mlir.Operation) mlir.Operation
	loopOf = func(op mlir.Operation) mlir.Operation {
		for at := op.Parent(); !at.IsNil(); at = at.Parent() {
			switch at.Name() {
			case "stablehlo.while":
				return at
			case "func.func":
				if loop, known := loops[at]; known {
					return loop
				}
				loops[at] = mlir.Operation{} // a function may call itself
				for _, call := range f.calls[at] {
					if loop := loopOf(call); !loop.IsNil() {
						loops[at] = loop
						break
					}
				}
				return loops[at]
			}
		}
		return mlir.Operation{}
	}
	for _, c := range callsOf(p) {
		what, ok := c.callback()
		if !ok {
			continue
		}
		if f == nil {
			f = newFlow(p)
		}
		if loop := loopOf(c.op); !loop.IsNil() {
			p.Report(c.op, finding.Note, "%s runs in each iteration of the loop at %s, which waits for it", what,
				p.Place(loop))
		}
	}
	return nil
}
