package vmap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// An axis has the devices that the batch takes the place of: those along an axis of a mesh, those along all manual axes
// or, without a mesh, the replicas of the function.
type axis struct {
	// name is that of Options.AxisName, as MLIR prints it. "" stands for the axes of each manual computation.
	name  string
	mesh  stablehlo.Mesh // that has the axis
	along []string       // the axes along which the elements of the batch differ, the last one the fastest
	// devices has the numbers of the devices that the elements are, one list for each place along the other axes of the
	// mesh. It is nil outside of manual computations over the axis.
	devices [][]int64
	each    bool // each device makes the calls of the host and other effects itself, also if the operands are the same
}

// axisOf returns the axis of Options.AxisName, or nil.
func axisOf(f mlir.Operation, o Options) *axis {
	if o.AxisName == "" {
		return nil
	}
	a := &axis{name: printed(f.Context(), o.AxisName)}
	for _, mesh := range stablehlo.Meshes(f.Block()) {
		for _, along := range mesh.Axes {
			if along.Name != o.AxisName {
				continue
			}
			if along.Size != o.Size {
				transform.Fail(f, "Options.Size is %d, but the axis %s of the mesh @%s has %d devices", o.Size, a.name, mesh.Name,
					along.Size)
			}
			a.mesh = mesh
		}
	}
	if a.mesh.Name == "" {
		a.devices = [][]int64{transform.UpTo(int(o.Size))}
	}
	return a
}

// printed returns a name as MLIR prints it.
func printed(c *mlir.Context, name string) string { return c.StringAttribute(name).String() }

// isOutside reports whether the batch is not yet one of devices.
func (a *axis) isOutside() bool { return a != nil && a.devices == nil }

// isReplicas reports whether the devices are the replicas of the function.
func (a *axis) isReplicas() bool { return a.devices != nil && len(a.along) == 0 }

// String says which devices the batch takes the place of.
func (a *axis) String() string {
	switch {
	case a.isReplicas():
		return fmt.Sprintf("the %d replicas", len(a.devices[0]))
	case len(a.along) > 1:
		return "the axes " + strings.Join(a.along, ", ")
	case len(a.along) == 1:
		return "the axis " + a.along[0]
	}
	return "the axis " + a.name
}

// taken returns the axes of a manual computation whose devices the batch takes the place of.
func (b *batcher) taken(m transform.Manual) []string {
	switch {
	case b.axis == nil || b.axis.isReplicas():
		return nil
	case b.axis.name == "":
		return m.Axes
	case !slices.Contains(m.Axes, b.axis.name):
		return nil
	}
	if mesh, _, err := m.Mesh(); err != nil || mesh.Name != b.axis.mesh.Name {
		return nil
	}
	return []string{b.axis.name}
}

// replaces reports whether an operation is a manual computation, and the batch takes the place of devices of it.
func (b *batcher) replaces(op mlir.Operation) bool {
	return op.Name() == callop.Manual && len(b.taken(transform.Must(transform.AsManual(op)))) > 0
}

// communicates reports whether an operation, a region of it or what it calls is between devices that the batch takes
// the place of.
func (b *batcher) communicates(op mlir.Operation) bool {
	if b.axis == nil {
		return false
	}
	for inner := range op.All() {
		if b.replaces(inner) || b.between(inner) {
			return true
		}
		name, _ := rewrite.CalledFunction(inner)
		if f, ok := b.table.Lookup(name); ok && b.communicates(f) {
			return true
		}
	}
	return false
}
