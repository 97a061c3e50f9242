package rules

import (
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// SideEffect reports calls that a compiler may drop although they have effects.
var SideEffect = &lint.Analyzer{
	Name: "side-effect",
	Doc:  "a call without has_side_effect may be removed, merged or moved, although it is made for its effect",
	Run:  sideEffect,
	Details: `Severity: error for callbacks; otherwise a note.

A compiler removes a custom call without has_side_effect = true if nothing uses its results, and may merge two that
are alike. A callback of the forms passthrough, observe and call is made for its effect, so it is an error if it lacks
the attribute: a passthrough is dropped as soon as the compiler sees that its result is not used.

    stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32,
      backend_config = {callback = "log", form = "observe", v = 1 : i64}} : (tensor<4xf32>) -> ()

The repair sets has_side_effect = true, so that calls are made that the compiler removed. It is a note if a callback of the form pure has the attribute, and so is kept,
and if a call of another target has no results and not the attribute, and so is always removed.`,
}

func sideEffect(p *lint.Pass) error {
	set := finding.Fix{Message: "set has_side_effect = true", Set: map[string]string{"has_side_effect": "true"},
		Unsafe: true}
	for _, c := range callsOf(p) {
		switch what, isCallback := c.callback(); {
		case c.ours && c.as.Err != nil:
		case c.mustStay() && !c.HasSideEffect && isCallback:
			p.ReportFix(c.op, finding.Error, set, "%s is made for its effect, but the compiler may remove, merge or move the call: write has_side_effect = true", what)
		case c.HasSideEffect && isCallback && c.ours && c.as.Config.Form == contract.Pure:
			p.Report(c.op, finding.Note, "%s is pure, but has_side_effect keeps the call when its results are not used: leave it out, or use the form call", what)
		case !c.ours && !c.HasSideEffect && len(c.Results) == 0 && !c.ofXLA():
			p.Report(c.op, finding.Note, "the call of @%s has no results and no side effect, so the compiler removes it: write has_side_effect = true, or remove it", c.Target)
		}
	}
	return nil
}

// mustStay reports whether a callback is made for its effect. In the encodings of other hosts, a call
// without has_side_effect is pure, unless it passes its operands through.
func (c *call) mustStay() bool {
	switch {
	case !c.ours || c.as.Err != nil:
		return false
	case c.as.Config.Host.Encoding == contract.EncodingDictionary:
		return c.as.Config.Form != contract.Pure
	}
	return c.as.Config.Form == contract.Passthrough || c.Target == contract.TargetEXLAIOCallback
}
