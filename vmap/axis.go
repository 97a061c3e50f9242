package vmap

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// An axis has the devices that the batch takes the place of: those along an axis of a mesh or, without a mesh, the
// replicas of the function.
type axis struct {
	name   string // as MLIR prints it
	plain  string // without quotation marks
	mesh   stablehlo.Mesh
	inside bool // of a manual computation over the axis, or of the replicas
}

// axisOf returns the axis of Options.AxisName, or nil.
func axisOf(f mlir.Operation, o Options) *axis {
	if o.AxisName == "" {
		return nil
	}
	a := &axis{name: printed(f.Context(), o.AxisName), plain: o.AxisName, inside: true}
	for _, mesh := range stablehlo.Meshes(f.Block()) {
		for _, along := range mesh.Axes {
			if along.Name != o.AxisName {
				continue
			}
			if along.Size != o.Size {
				transform.Fail(f, "Options.Size is %d, but the axis %s of the mesh @%s has %d devices", o.Size, a.name, mesh.Name,
					along.Size)
			}
			if mesh.DeviceIDs != nil {
				transform.Fail(f, "the mesh @%s has device_ids, and the batch of an axis needs devices in ascending order: "+
					"remove device_ids", mesh.Name)
			}
			a.mesh, a.inside = mesh, false
		}
	}
	return a
}

// printed returns a name as MLIR prints it.
func printed(c *mlir.Context, name string) string { return c.StringAttribute(name).String() }

// replaces reports whether the batch takes the place of devices of a manual computation.
func (b *batcher) replaces(m transform.Manual) bool {
	if b.axis == nil || b.axis.mesh.Name == "" || !slices.Contains(m.Axes, b.axis.name) {
		return false
	}
	mesh, _, err := m.Mesh()
	return err == nil && mesh.Name == b.axis.mesh.Name
}

// replace computes the parts of a manual computation along the axis as a batch. What is left of the computation is over
// its other axes.
func (b *batcher) replace(m transform.Manual) []mlir.Value {
	operands := m.Op.OperandValues()
	for i, v := range operands {
		if b.batched(v) {
			transform.Fail(m.Op, "the batch takes the place of its devices along %s, but operand %d is batched already: "+
				"make the parameters of the function NotBatched", b.axis.name, i)
		}
		operands[i] = b.get(v)
		d, groups := b.divided(m, &m.In[i])
		if d >= 0 {
			operands[i] = b.unfold(operands[i], int64(d), groups)
			m.In[i] = undivided(m.In[i], "{}")
		}
	}
	at, groups, types := make([]int, len(m.Out)), make([]int64, len(m.Out)), mlir.TypesOf(m.Op.ResultValues())
	for i, t := range types {
		if at[i] = -1; b.tokens[m.Op.Result(i)] {
			continue
		}
		if at[i], groups[i] = b.divided(m, &m.Out[i]); at[i] >= 0 {
			shape := slices.Clone(dimsOf(t))
			shape[at[i]] /= b.size
			types[i] = b.tensor(transform.Element(t), shape...)
		}
		m.Out[i] = undivided(m.Out[i], "{}")
	}
	m.Axes = slices.DeleteFunc(slices.Clone(m.Axes), func(a string) bool { return a == b.axis.name })
	outside := b.axis
	inside := *b.axis
	inside.inside = true
	b.axis = &inside
	var results []mlir.Value
	if len(m.Axes) > 0 {
		results = b.manual(m, operands, types)
	} else {
		results = b.parts(m, operands)
	}
	b.axis = outside
	for i, v := range results {
		switch {
		case at[i] >= 0:
			results[i] = b.fold(v, int64(at[i]), groups[i])
		case !b.tokens[m.Op.Result(i)]: // all elements are equal
			results[i] = b.part(v, 0)
		}
	}
	return results
}

// divided removes the axis from a sharding. It returns the dimension that it divides, or -1, and the number of parts
// into which axes before it divide that dimension.
func (b *batcher) divided(m transform.Manual, sharding *string) (dimension int, groups int64) {
	dimension, before, without, err := transform.WithoutAxis(*sharding, b.axis.name)
	if err != nil {
		transform.Fail(m.Op, "%v", err)
	}
	*sharding, groups = without, 1
	for _, name := range before {
		i := slices.IndexFunc(b.axis.mesh.Axes, func(a stablehlo.MeshAxis) bool {
			return printed(m.Op.Context(), a.Name) == name
		})
		if i < 0 {
			transform.Fail(m.Op, "the sharding %s has %s before %s, which is no axis of the mesh", *sharding, name, b.axis.name)
		}
		groups *= b.axis.mesh.Axes[i].Size
	}
	return dimension, groups
}

// communicates reports whether an operation, a region of it or what it calls is between devices that the batch takes
// the place of.
func (b *batcher) communicates(op mlir.Operation) bool {
	if b.axis == nil {
		return false
	}
	for inner := range op.All() {
		if inner.Name() == callop.Manual && b.replaces(transform.Must(transform.AsManual(inner))) || b.between(inner) {
			return true
		}
		name, _ := rewrite.CalledFunction(inner)
		if f, ok := b.table.Lookup(name); ok && b.communicates(f) {
			return true
		}
	}
	return false
}

// between reports whether an operation is between the devices that the batch takes the place of.
func (b *batcher) between(op mlir.Operation) bool {
	if _, ok := between[op.Name()]; !ok || b.axis == nil || !b.axis.inside {
		return false
	}
	replicas := b.axis.mesh.Name == ""
	for outer := op.Parent(); replicas && !outer.IsNil(); outer = outer.Parent() {
		if outer.Name() == callop.Manual {
			return false // it is between partitions
		}
	}
	switch op.Name() {
	case "stablehlo.replica_id":
		return replicas
	case "stablehlo.partition_id":
		return !replicas
	case "stablehlo.collective_permute":
		_, over := b.pairs(op)
		return over
	}
	return b.over(op)
}

// over reports whether the groups of an operation are those of the axis. It fails for groups along the axis and others.
func (b *batcher) over(op mlir.Operation) bool {
	groups := groupsOf(op)
	if b.axis.mesh.Name == "" {
		if len(groups) > 0 && !sameGroups(groups, [][]int64{transform.UpTo(int(b.size))}) {
			transform.Fail(op, "its groups %v are not one group of all %d replicas, whose place the batch takes", groups, b.size)
		}
		return true
	}
	if along := transform.Must(b.axis.mesh.Groups(stablehlo.AxisRef{Name: b.axis.plain})); sameGroups(groups, along) {
		return true
	}
	for _, group := range groups {
		for _, device := range group {
			if b.coordinate(device) != b.coordinate(group[0]) {
				transform.Fail(op, "its groups %v are not those along the axis %s only, whose place the batch takes", groups,
					b.axis.name)
			}
		}
	}
	return false
}

func sameGroups(x, y [][]int64) bool {
	text := func(groups [][]int64) (list []string) {
		for _, g := range groups {
			list = append(list, fmt.Sprint(g))
		}
		slices.Sort(list)
		return list
	}
	return slices.Equal(text(x), text(y))
}

// stride returns how far apart the numbers of neighbouring devices along the axis are.
func (a *axis) stride() int64 {
	stride := int64(1)
	for i := len(a.mesh.Axes) - 1; i >= 0 && a.mesh.Axes[i].Name != a.plain; i-- {
		stride *= a.mesh.Axes[i].Size
	}
	return stride
}

// coordinate returns where a device is along the axis.
func (b *batcher) coordinate(device int64) int64 { return device / b.axis.stride() % b.size }

// pairs returns the sources and targets of a permutation along the axis. It returns false if it is along others.
func (b *batcher) pairs(op mlir.Operation) (list [][]int64, along bool) {
	o, _ := stablehlo.AsCollectivePermute(op)
	var all [][]int64
	for _, pair := range o.SourceTargetPairs {
		all = append(all, pair[:])
	}
	if b.axis.mesh.Name == "" {
		return all, true
	}
	along = slices.ContainsFunc(all, func(p []int64) bool { return b.coordinate(p[0]) != b.coordinate(p[1]) })
	if !along {
		return nil, false
	}
	each := map[int64][][]int64{} // by what the numbers of the devices have besides their coordinate
	for _, p := range all {
		from, to := b.coordinate(p[0]), b.coordinate(p[1])
		rest := p[0] - from*b.axis.stride()
		if rest != p[1]-to*b.axis.stride() {
			transform.Fail(op, "its pairs %v are not along the axis %s only, whose place the batch takes", all, b.axis.name)
		}
		each[rest] = append(each[rest], []int64{from, to})
	}
	for _, pairs := range each {
		if list == nil {
			list = pairs
		}
		if !sameGroups(list, pairs) || len(each)*int(b.size) != b.axis.mesh.NumDevices() {
			transform.Fail(op, "its pairs %v along the axis %s, whose place the batch takes, differ between other devices", all,
				b.axis.name)
		}
	}
	return list, true
}

// groupsOf returns the groups of devices of an operation.
func groupsOf(op mlir.Operation) [][]int64 {
	a, _ := op.Attribute("replica_groups")
	groups, ok := stablehlo.AsGroups(a)
	if !ok {
		transform.Fail(op, "its groups %s have a form that is not known here", a)
	}
	lists, err := groups.Devices(op)
	if err != nil {
		transform.Fail(op, "%v", err)
	}
	return lists
}
