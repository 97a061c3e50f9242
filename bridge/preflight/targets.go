package preflight

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/internal/nearest"
	"github.com/calliope-mlir/calliope/mlir"
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
	resultSharding,
	"xla.sdy.PropagationBarrier",
	"xla.sdy.ShardingGroup",
}

// partitionedTargets are the ones that it serves only in a partitioned module.
var partitionedTargets = []string{
	"xla.sdy.GlobalToLocalShape",
	"xla.sdy.LocalToGlobalShape",
}

// resultSharding is the target that has the sharding of a function's result.
const resultSharding = "xla.sdy.FuncResultSharding"

// shapeAssertion is the target by which JAX asserts shapes.
const shapeAssertion = "shape_assertion"

func hasFrontendAttributes(op mlir.Operation) bool {
	_, ok := op.Attribute("mhlo.frontend_attributes")
	return ok
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
