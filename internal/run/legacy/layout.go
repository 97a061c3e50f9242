package legacy

import "github.com/calliope-mlir/calliope/internal/run/legacycall"

// A Layout says how the arrays of a call stand in memory for a function on the host: a tuple is an array of
// pointers, to arrays and to other tuples.
type Layout struct {
	slots []int32
	out   int32
}

// NewLayout returns the layout of operands and a result. The arrays of a call are numbered in pre-order,
// the operands first.
func NewLayout(operands []legacycall.Nest, result legacycall.Nest) *Layout {
	b := layoutBuilder{}
	b.tuple(operands)
	out := b.part(result)
	return &Layout{b.slots, out}
}

type layoutBuilder struct {
	slots  []int32
	arrays int32 // that are numbered
}

// tuple lays out elements in slots that follow each other, and returns the first one.
func (b *layoutBuilder) tuple(elements []legacycall.Nest) (first int) {
	first = len(b.slots)
	b.slots = append(b.slots, make([]int32, len(elements))...)
	for i, e := range elements {
		part := b.part(e) // may move the slots
		b.slots[first+i] = part
	}
	return first
}

func (b *layoutBuilder) part(n legacycall.Nest) int32 {
	if n.Tuple {
		return -1 - int32(b.tuple(n.Elements))
	}
	b.arrays++
	return b.arrays - 1
}
