package xlafix

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

var collectives = []string{"stablehlo.all_gather", allReduce, "stablehlo.all_to_all", "stablehlo.collective_broadcast",
	"stablehlo.collective_reduce", "stablehlo.cross-replica-sum", "stablehlo.reduce_scatter"}

// ExpandMeshAxes replaces the groups of collective operations by axes of a mesh by groups by numbers.
func ExpandMeshAxes(m *mlir.Module) (int, error) {
	return expandAxes(m.Operation().Index(), func(mlir.Operation, stablehlo.Groups) (bool, error) { return true, nil })
}

// expandMisreadAxes does so where XLA reads something else: it ignores device_ids, and parts of axes if the mesh is an
// attribute.
func expandMisreadAxes(_ *mlir.Module, index *mlir.Index) (int, error) {
	return expandAxes(index, func(op mlir.Operation, groups stablehlo.Groups) (bool, error) {
		mesh, err := groups.MeshIn(op)
		return mesh.DeviceIDs != nil ||
			slices.ContainsFunc(groups.Axes, func(a stablehlo.AxisRef) bool { return a.Size != 0 }), err
	})
}

func expandAxes(index *mlir.Index, which func(mlir.Operation, stablehlo.Groups) (bool, error)) (n int, err error) {
	for op := range index.Named(collectives...) {
		a, _ := op.Attribute("replica_groups")
		groups, ok := stablehlo.AsGroups(a)
		switch {
		case !ok:
			return n, fmt.Errorf("%s at %s: its groups %s have a form that is not known here", op.Name(),
				op.Location().Position(), a)
		case groups.Mesh == nil:
			continue
		}
		if ok, err = which(op, groups); err != nil {
			return n, err
		} else if !ok {
			continue
		}
		lists, err := groups.Devices(op)
		if err != nil {
			return n, err
		}
		numbers, err := stablehlo.GroupsOf(lists...).Attribute(op.Context())
		if err != nil {
			return n, err
		}
		op.SetAttribute("replica_groups", numbers)
		n++
	}
	return n, nil
}
