package stages

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A group of at most smallGroup operations on arrays of at most smallArray elements takes less time than an execution
// of a stage costs.
const (
	smallGroup = 16
	smallArray = 64
)

// joinSmall moves small groups that wait for nothing, such as the counter of a loop, into later ones if no boundary
// needs them. An execution of their own would cost more than it gains.
func (b *blockCutter) joinSmall() {
	for changed := true; changed; {
		changed = false
		for i, g := range b.groups {
			if len(g.nodes) == 0 || len(g.last().after) > 0 || !g.small() {
				continue
			}
			if to := b.later(i); to >= 0 {
				for _, n := range g.nodes {
					n.stage = to
				}
				b.groups[to].nodes = slices.Concat(g.nodes, b.groups[to].nodes)
				g.nodes, changed = nil, true
			}
		}
	}
	b.groups = slices.DeleteFunc(b.groups, func(g *group) bool { return len(g.nodes) == 0 })
	for i, g := range b.groups {
		for _, n := range g.nodes {
			n.stage = i
		}
	}
}

// small reports whether a group takes next to no time.
func (g *group) small() bool {
	smallAll := func(values func(func(int, mlir.Value) bool)) bool {
		for _, v := range values {
			if s, err := stablehlo.ShapeOf(v.Type()); err != nil || s.Check() != nil || s.NumElements() > smallArray {
				return false
			}
		}
		return true
	}
	return len(g.nodes) <= smallGroup && !slices.ContainsFunc(g.nodes, func(n *node) bool {
		return n.op.NumRegions() > 0 || n.op.Name() == "stablehlo.custom_call" || !smallAll(n.op.Operands()) ||
			!smallAll(n.op.Results())
	})
}

// later returns a group that can compute what a group that waits for nothing computes, or -1: no boundary and no third
// group may need the values.
func (b *blockCutter) later(i int) int {
	to := -1
	for _, n := range b.nodes {
		for _, v := range n.uses {
			from, ok := b.maker[v]
			if !ok || from.stage != i || n.stage == i || from.free && !n.boundary {
				continue
			}
			if n.boundary || to >= 0 && n.stage != to {
				return -1
			}
			to = n.stage
		}
	}
	if to >= 0 {
		return to
	}
	return slices.IndexFunc(b.groups, func(g *group) bool { return len(g.nodes) > 0 && len(g.last().after) > 0 })
}

// last returns the node of a group that waits for most.
func (g *group) last() *node { return g.nodes[len(g.nodes)-1] }
