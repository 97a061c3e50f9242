package preflight

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/internal/nearest"
)

// cpuTargets are the custom calls that XLA's CPU compiler serves itself, with any API
// version: annotations, and operations that it expands.
var cpuTargets = []string{
	"ApproxTopK",
	"Eigh",
	"LayoutConstraint",
	"ProductOfElementaryHouseholderReflectors",
	"Qr",
	"SPMDFullToShardShape",
	"SPMDShardToFullShape",
	"Sharding",
	"TopK",
	"xla.sdy.FuncResultSharding",
	"xla.sdy.PropagationBarrier",
	"xla.sdy.ShardingGroup",
}

// partitionedTargets are the ones that it serves only in a partitioned module.
var partitionedTargets = []string{
	"xla.sdy.GlobalToLocalShape",
	"xla.sdy.LocalToGlobalShape",
}

// nearest returns the most similar known target, or "" if there is none.
func (o Options) nearest(target string) string {
	return nearest.Name(target, slices.Values(slices.Concat(cpuTargets, o.targets(), o.Handlers)))
}

func isIt(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (is it %q?)", name)
}
