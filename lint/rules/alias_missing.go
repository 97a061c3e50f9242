package rules

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
)

// AliasMissing reports passthrough callbacks whose results do not use the memory of the operands.
var AliasMissing = &lint.Analyzer{
	Name:     "alias-missing",
	Doc:      "a result of a passthrough callback does not use the memory of its operand, so it is copied",
	Run:      aliasMissing,
	Severity: finding.Warning,
	Details: `Severity: warning.

A callback of the form passthrough returns its operands. With an alias for each result, a result uses the memory of its
operand, and nothing is copied. Without it, the runtime copies the operand in each call. A host whose callbacks write
nothing to their results returns arrays that were never written.

    %1 = stablehlo.custom_call @calliope_io_callback(%0) {api_version = 4 : i32, has_side_effect = true,
      backend_config = {callback = "log", form = "passthrough", v = 1 : i64},
      output_operand_aliases = [#stablehlo.output_operand_alias<
        output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>

XLA may still copy an operand that must not change. Then the finding says why, as alias-copies does.
A call in a branch is not reported where XLA would let it overwrite what a function returns.

The repair sets output_operand_aliases.`,
}

func aliasMissing(p *lint.Pass) error {
	var branches *callop.Branches
	x := explainer{Explainer: aliasing.Explainer{Place: p.Place}}
	for _, c := range callsOf(p) {
		want := c.passthrough()
		if len(want) == 0 || len(c.aliasErrors()) > 0 {
			continue
		}
		other := false // an alias of another kind, which a repair must not replace
		for _, a := range c.Aliases {
			other = other || !slices.ContainsFunc(want, same(a))
		}
		var missing []int
		for i, w := range want {
			if !slices.ContainsFunc(c.Aliases, same(w)) {
				missing = append(missing, i)
			}
		}
		if len(missing) == 0 {
			continue
		}
		if branches == nil {
			branches = callop.NewBranches(p.Module)
		}
		if branches.Overwrite(c.op) {
			continue
		}
		what, _ := c.callback()
		const text = "%s passes its operands through, but %s not aliased to %s: %s"
		which, whose := "result "+list(missing)+" is", "its operand"
		if len(missing) > 1 {
			which, whose = "the results "+list(missing)+" are", "their operands"
		}
		effect := x.effect(c.op, want, missing)
		if other {
			p.Report(c.op, finding.Warning, text, what, which, whose, effect)
			continue
		}
		p.ReportFix(c.op, finding.Warning, setAliases(want), text, what, which, whose, effect)
	}
	return nil
}

// An explainer says what aliases that are missing would change.
type explainer struct {
	aliasing.Explainer
	explained int
}

// effect returns what happens with and without the aliases that a call wants and of which some are missing.
func (x *explainer) effect(op mlir.Operation, want aliasing.List, missing []int) string {
	const saves = "each call copies: write output_operand_aliases"
	if x.explained++; x.explained > maxExplained {
		return saves
	}
	all := x.ExplainWith(op, want)
	var texts []string
	for _, i := range missing {
		if e := all[i]; e.Cause == aliasing.NoCopy || e.Cause == aliasing.Unclear {
			return saves
		}
		if text := strings.TrimPrefix(all[i].Text, "it is copied: "); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return "write output_operand_aliases (XLA copies the operand even so: " + strings.Join(texts, "; ") + ")"
}

// passthrough returns the aliases that a passthrough callback has, or nil for another call.
func (c *call) passthrough() aliasing.List {
	if !c.ours || c.as.Err != nil || len(c.Results) == 0 {
		return nil
	}
	skipped := 0 // operands before the data
	switch config := c.as.Config; {
	case config.Host.Encoding == contract.EncodingServer && config.Form == contract.Passthrough:
		skipped = 1
	case config.Host.Encoding == contract.EncodingWords && c.Target == contract.TargetEXLAIOCallback:
	case config.Host.Encoding == contract.EncodingDictionary && config.Form == contract.Passthrough:
	default:
		return nil
	}
	if len(c.Results) != len(c.Operands)-skipped {
		return nil
	}
	var want aliasing.List
	for i, t := range c.Results {
		if !t.Equal(c.Operands[i+skipped].Type()) {
			return nil
		}
		want = append(want, aliasing.Result(i, len(c.Results), i+skipped))
	}
	return want
}

// same returns a function that reports whether an alias is the same as a.
func same(a alias) func(alias) bool {
	return func(b alias) bool {
		return a.OperandIndex == b.OperandIndex && slices.Equal(a.OutputTupleIndices, b.OutputTupleIndices) &&
			slices.Equal(a.OperandTupleIndices, b.OperandTupleIndices)
	}
}

func setAliases(l aliasing.List) finding.Fix {
	texts := make([]string, len(l))
	for i, a := range l {
		texts[i] = a.String()
	}
	return finding.Fix{
		Message: "set output_operand_aliases, one for each result that uses the memory of an operand",
		Set:     map[string]string{"output_operand_aliases": "[" + strings.Join(texts, ", ") + "]"},
	}
}
