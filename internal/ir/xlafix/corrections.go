package xlafix

import (
	"github.com/calliope-mlir/calliope/internal/ir/einsum"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// corrections are the steps that rewrite what XLA gets wrong, in their order.
var corrections = []struct {
	step  func(*mlir.Module, *mlir.Index) (int, error)
	names []string // of the operations without which the step changes nothing; nil if others may matter
}{
	{func(_ *mlir.Module, index *mlir.Index) (int, error) { return stablehlo.InlineResources(index) }, nil},
	{expandQuantized, nil},
	{expandBroadcasts, nil},
	{listing(ExpandUntranslated), notTranslated},
	{listing(expandEinsums), einsum.Names},
	{listing(keepArctangents), arctangents},
	{listing(KeepAngles), angles},
	{listing(RemoveEmptyProducts), products},
	{listing(multiplyByScalars), dots},
	{listing(widenSmallElements), onSmallElements},
	{listing(keepSmallResults), nil},
	{listing(KeepInitialValues), reductions},
	{listing(widenIndices), indexed},
	{listing(ClampNestedSlices), windows},
	{listing(KeepScatteredWindows), []string{"stablehlo.scatter"}},
	{listing(correctConversions), conversions},
	{listing(KeepDivisions), divisions},
	{listing(ExpandIntegerPowers), []string{"stablehlo.power"}},
	{addBooleans, nil},
	{listing(MakeRandomBitsUnsigned), []string{generator}},
	{stateSignedness, nil},
	{narrowUnsigned, andOr},
	{listing(RemoveEmptyLoops), loops},
	{splitFloat8s, nil},
	{listing(KeepBitcasts), []string{"stablehlo.bitcast_convert"}},
	{listing(forwardResults), branches},
	{listing(KeepConditions), loops},
	{listing(CorrectTripCounts), loops},
	{keepShiftedUpdates, nil},
	{separateResults, controls},
	{listing(KeepValues), rewrite.EffectNames},
	{listing(ConstrainLayouts), []string{"stablehlo.custom_call"}},
	{separateChannels, []string{allReduce}},
	{expandMisreadAxes, collectives},
}

const while = "stablehlo.while"

var (
	loops    = []string{while}
	branches = []string{"stablehlo.case", "stablehlo.if"}
	controls = append(loops, branches...)
)

// listing returns a step that lists the operations itself: few modules have any that it changes.
func listing(step func(*mlir.Module) (int, error)) func(*mlir.Module, *mlir.Index) (int, error) {
	return func(m *mlir.Module, _ *mlir.Index) (int, error) { return step(m) }
}

// Correct does the corrections. They share a list of the operations, which takes longer to make than most of them.
func Correct(m *mlir.Module) (n int, err error) {
	index := m.Operation().Index()
	for _, c := range corrections {
		if c.names != nil && !index.Has(c.names...) {
			continue
		}
		changed, err := c.step(m, index)
		if err != nil {
			return n, err
		}
		if n += changed; changed > 0 {
			index = m.Operation().Index()
		}
	}
	return n, nil
}
