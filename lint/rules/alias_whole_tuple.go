package rules

import (
	"slices"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// AliasWholeTuple reports aliases with an empty output path in a call with several results.
var AliasWholeTuple = &lint.Analyzer{
	Name:  "alias-whole-tuple",
	Relax: hideAliases,
	Doc:   "an alias with output_tuple_indices = [] of a call with several results means all of them at once",
	Run:   aliasWholeTuple,
	Details: `Severity: error.

output_tuple_indices is a path into the results: [] if there is one result, and [i] for the i-th of several. With
several results, [] means the tuple of all results, which no operand can be. The library refuses the module.

    %0:2 = stablehlo.custom_call @calliope_io_callback(%x, %y) {…, output_operand_aliases = [
      #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>,
      #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]}

Write [0] and [1]. The repair does so if it is clear which result each alias means.`,
}

type alias = stablehlo.OutputOperandAlias

func aliasWholeTuple(p *lint.Pass) error {
	for _, c := range callsOf(p) {
		for _, e := range c.aliasErrors() {
			if !e.WholeTuple {
				continue
			}
			const text = "alias %d of the call of @%s: %s"
			if mended, ok := c.mendAliases(); ok {
				p.ReportFix(c.op, finding.Error, setAliases(mended), text, e.Index, c.Target, e.Reason)
			} else {
				p.Report(c.op, finding.Error, text, e.Index, c.Target, e.Reason)
			}
		}
	}
	return nil
}

// mendAliases replaces the empty output paths of a call. It returns false if it is not clear which
// results they mean.
func (c *call) mendAliases() (aliasing.List, bool) {
	results := c.Results
	if len(results) == 1 {
		results, _ = results[0].Elements()
	}
	mended := slices.Clone(aliasing.List(c.Aliases))
	for _, e := range c.aliasErrors() {
		i := e.Alias.OperandIndex
		if !e.WholeTuple || len(e.Alias.OperandTupleIndices) > 0 {
			return nil, false
		}
		operand := c.Operands[i].Type()
		fits := func(t mlir.Type) bool { return t.Equal(operand) }
		to := -1
		switch {
		case len(results) == len(c.Operands) && fits(results[i]):
			to = int(i) // operands pass through
		case slices.IndexFunc(results, fits) == lastIndexFunc(results, fits):
			to = slices.IndexFunc(results, fits)
		}
		if to < 0 {
			return nil, false
		}
		mended[e.Index].OutputTupleIndices = []int64{int64(to)}
	}
	repaired := c.CustomCallOp
	repaired.Aliases = mended
	return mended, aliasing.CheckCall(repaired) == nil
}

func lastIndexFunc[T any](list []T, f func(T) bool) int {
	for i, v := range slices.Backward(list) {
		if f(v) {
			return i
		}
	}
	return -1
}
