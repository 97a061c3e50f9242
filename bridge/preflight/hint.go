package preflight

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A Hint is a placement hint in a module. It has no effect on CPU. Custom calls that are only
// such hints are left out when passes.Program is compiled. The bytes of a bridge.Source keep
// them, and not every plugin compiles them.
type Hint struct {
	stablehlo.Placement
	Position mlir.Position // zero if unknown
}

// String returns the position and what the hint says.
func (h Hint) String() string { return fmt.Sprintf("%s: %s", h.Position, h.Placement) }

// Hints returns the placement hints of a module, in the order of its text.
func Hints(m *mlir.Module, o Options) (list []Hint) {
	for _, p := range stablehlo.Placements(m) {
		h := Hint{p, p.Op.Location().Position()}
		if h.Position.File == "-" && o.File != "" {
			h.Position.File = o.File
		}
		list = append(list, h)
	}
	return list
}

// onlyPlaces reports whether a custom call only places a value in a memory.
func onlyPlaces(op mlir.Operation) bool {
	return slices.ContainsFunc(stablehlo.PlacementsOf(op),
		func(p stablehlo.Placement) bool { return p.Kind == stablehlo.PlacedCall })
}
