package passes

import (
	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/mlir"
)

// ExpandMeshAxes replaces groups of devices by the axes of a mesh, as JAX writes them since 0.11, by groups by numbers:
// see stablehlo.Groups. Compilers of StableHLO before 1.16 know only these. It returns the number of operations that
// it changed. The error is for axes that are not those of the mesh, and for a mesh that the module does not have.
//
// Program does it for the plugins that need it. Prepare does it where XLA's plugins take the axes for other devices.
func ExpandMeshAxes(m *mlir.Module) (int, error) { return xlafix.ExpandMeshAxes(m) }
