package rules

import (
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// Placement explains hints about memories and processors. It reports alike attributes of several
// operations once, at the first of them. It does not report calls that name no memory, nor that a
// parameter or a result of a function is in the memory "device", which is usual.
var Placement = &lint.Analyzer{
	Name:         "placement",
	Doc:          "a hint about the memory of a value or about what computes it has no effect on CPU",
	OffByDefault: true,
	Run:          placement,
	Severity:     finding.Note,
	Details: `Severity: note. Off by default.

JAX states in which memory a value is to be, or that the host computes it: device_put with a kind of memory, offloading,
compute_on. On CPU there is one memory and one processor, so a hint has no effect there. The values are the same.

    %1 = stablehlo.custom_call @annotate_device_placement(%0) {has_side_effect = true,
      mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<4xf32>) -> tensor<4xf32>

Nothing has to change. The rule is for those who move a module to CPU, and want to know what it expects.`,
}

func placement(p *lint.Pass) error {
	// Parts of memory_kind and annotate_device_placement, because they begin with rare letters: they are found
	// faster than words that begin with a frequent one.
	if !p.Mentions("_xla_", "kind", "vice_placement", "MoveTo") {
		return nil // most modules, without a look at every operation
	}
	type hint struct {
		kind  stablehlo.PlacementKind
		where string
	}
	var order []stablehlo.Placement
	more := map[hint]int{}
	for _, found := range stablehlo.Placements(p.Module) {
		switch found.Kind {
		case stablehlo.PlacedCall:
			if found.Where == "" {
				continue
			}
		case stablehlo.PlacedParameter, stablehlo.PlacedResult:
			if found.Where == "device" {
				continue
			}
		case stablehlo.PlacedBuffer, stablehlo.PlacedCompute, stablehlo.PlacedStream:
			h := hint{found.Kind, found.Where}
			if more[h]++; more[h] > 1 {
				continue
			}
		}
		order = append(order, found)
	}
	for _, found := range order {
		n := more[hint{found.Kind, found.Where}] - 1
		p.Report(found.Op, finding.Note, "%s%s", found, further(n, "operation"))
	}
	return nil
}
