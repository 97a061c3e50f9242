package preflight

import (
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/text/nearest"
	"github.com/calliope-mlir/calliope/mlir"
)

// has reports whether an operation has an attribute.
func has(op mlir.Operation, name string) bool {
	_, ok := op.Attribute(name)
	return ok
}

// nearest returns the most similar known target, or "" if there is none.
func (o Options) nearest(target string) string {
	return nearest.Name(target,
		slices.Values(slices.Concat(contract.XLATargets(contract.XLACompiled), o.targets(), o.Handlers)))
}
