package vmap

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// between reports whether an operation is between the devices that the batch takes the place of.
func (b *batcher) between(op mlir.Operation) bool {
	if b.axis == nil || b.axis.isOutside() || betweenOf(op) == nil {
		return false
	}
	replicas := b.axis.isReplicas()
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
	}
	_, over := b.lists(op)
	return over
}

// lists returns the groups of an operation, or the pairs of a permutation, by the numbers of elements. It returns false
// if they are along axes whose place the batch does not take, and fails if they are along both.
func (b *batcher) lists(op mlir.Operation) (lists [][]int64, over bool) {
	if o, ok := stablehlo.AsCollectivePermute(op); ok {
		var pairs [][]int64
		for _, pair := range o.SourceTargetPairs {
			pairs = append(pairs, pair[:])
		}
		return b.elements(op, "pairs", pairs)
	}
	groups := groupsOf(op)
	if len(groups) == 0 || sameGroups(groups, [][]int64{{0}}) { // of all replicas, of which partitions have one
		if _, between := op.Attribute("channel_handle"); !between && !b.axis.isReplicas() {
			return nil, false
		}
		groups = [][]int64{slices.Concat(b.axis.devices...)}
	}
	lists, over = b.elements(op, "groups", groups)
	all := slices.Sorted(slices.Values(slices.Concat(lists...)))
	switch {
	case over && !slices.Equal(all, transform.UpTo(int(b.size))):
		transform.Fail(op, "its groups %v do not have each device of %s once", groups, b.axis)
	case over && slices.ContainsFunc(lists, func(g []int64) bool { return len(g) != len(lists[0]) }):
		transform.Fail(op, "its groups %v differ in size, so that they are not known for a batch", groups)
	}
	return lists, over
}

// elements returns lists of devices by the numbers of the elements, which must be the same for all places along other
// axes.
func (b *batcher) elements(op mlir.Operation, what string, lists [][]int64) (elements [][]int64, over bool) {
	type place struct{ other, element int64 }
	places := map[int64]place{}
	for other, devices := range b.axis.devices {
		for element, device := range devices {
			places[device] = place{int64(other), int64(element)}
		}
	}
	each := make([][][]int64, len(b.axis.devices))
	others := false // whether a list is along other axes
	for _, list := range lists {
		first, mine, along, alongOthers := places[list[0]], []int64{}, false, false
		for _, device := range list {
			p, ok := places[device]
			if !ok {
				transform.Fail(op, "its %s %v have the device %d, which is not one of %s", what, lists, device, b.axis)
			}
			along, alongOthers = along || p.element != first.element, alongOthers || p.other != first.other
			mine = append(mine, p.element)
		}
		if along && alongOthers {
			transform.Fail(op, "its %s %v are not along %s only, whose place the batch takes", what, lists, b.axis)
		}
		each[first.other] = append(each[first.other], mine)
		others = others || alongOthers
	}
	if others {
		return nil, false
	}
	for _, mine := range each {
		if !sameGroups(mine, each[0]) {
			transform.Fail(op, "its %s %v along %s, whose place the batch takes, differ between other devices", what,
				lists, b.axis)
		}
	}
	return each[0], true
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

// groupsOf returns the groups of devices of an operation.
func groupsOf(op mlir.Operation) (groups [][]int64) {
	a, _ := op.Attribute("replica_groups")
	if config, ok := stablehlo.TypedConfig(op); ok {
		a, _ = config.Entry("replica_groups")
	}
	stated, ok := stablehlo.AsGroups(a)
	if !ok {
		transform.Fail(op, "its groups %s have a form that is not known here", a)
	}
	lists, err := stated.Devices(op)
	if err != nil {
		transform.Fail(op, "%v", err)
	}
	for _, list := range lists {
		isFill := func(device int64) bool { return device < 0 }
		if list = slices.DeleteFunc(slices.Clone(list), isFill); len(list) > 0 {
			groups = append(groups, list)
		}
	}
	return groups
}

// A grouped batch is one of the places in groups: each element is an array of what the groups have there.
type grouped struct {
	*batcher
	groups [][]int64
	order  []int64 // the elements, the groups of each place beside each other
}

// grouped returns the batch of the places in the groups of an operation.
func (b *batcher) grouped(op mlir.Operation) grouped {
	groups, _ := b.lists(op)
	inner := *b
	inner.size = int64(len(groups[0]))
	g := grouped{batcher: &inner, groups: groups}
	for place := range groups[0] {
		for _, group := range groups {
			g.order = append(g.order, group[place])
		}
	}
	return g
}

// from returns the grouped batch of a batch.
func (g grouped) from(x mlir.Value) mlir.Value {
	return g.Reshape(g.pick(x, g.order), slices.Concat([]int64{g.size, int64(len(g.groups))}, transform.Dims(x)[1:])...)
}

// to returns the batch of a grouped one.
func (g grouped) to(x mlir.Value) mlir.Value {
	back := make([]int64, len(g.order))
	for i, element := range g.order {
		back[element] = int64(i)
	}
	return g.pick(g.Reshape(x, first(int64(len(back)), transform.Dims(x)[2:])...), back)
}

// same returns the batch in which all elements of a group are the same. If there is one group, it is not batched.
func (g grouped) same(x mlir.Value) mlir.Value {
	if len(g.groups) == 1 {
		return g.Reshape(x, transform.Dims(x)[1:]...)
	}
	return g.to(g.copies(x))
}

// isUniform reports whether the results of an operation between devices are the same for all elements.
func (b *batcher) isUniform(op mlir.Operation) bool {
	if !slices.Contains(uniform, op.Name()) {
		return false
	}
	groups, _ := b.lists(op)
	return len(groups) == 1
}

// pick returns a batch of elements of another one, or of zeros for none. Elements at equal distances are taken at once.
func (b *batcher) pick(x mlir.Value, from []int64) mlir.Value {
	if slices.Equal(from, transform.UpTo(int(transform.Dims(x)[0]))) {
		return x
	}
	var parts []mlir.Value
	for i := 0; i < len(from); {
		n, step := 1, int64(0)
		if i+1 < len(from) && from[i] != none {
			step = max(from[i+1]-from[i], 1)
		}
		for i+n < len(from) && from[i+n] == from[i]+int64(n)*step {
			n++
		}
		if from[i] == none {
			shape := first(int64(n), transform.Dims(x)[1:])
			parts = append(parts, b.Zero(b.tensor(transform.Element(x.Type()), shape...)))
		} else {
			parts = append(parts, b.cut(x, from[i], from[i+n-1]+1, max(step, 1)))
		}
		i += n
	}
	return b.Do(stablehlo.ConcatenateOp{Inputs: parts})
}

// none is the source of an element that gets zeros.
const none = -1
