package mlir

import (
	"iter"
	"slices"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// WalkAction is what a visitor asks for next.
type WalkAction int

const (
	WalkContinue WalkAction = iota // go on
	WalkSkip                       // go on, but not into this operation's regions
	WalkStop                       // end the walk
)

// Walk visits o and every operation in its regions, each before what it contains
// and in the order of the text. It reports whether the walk reached its end. The
// visitor may erase and move operations: what it erases is not gone into or visited.
func (o Operation) Walk(visit func(Operation) WalkAction) bool {
	// A stack of our own: regions of strangers may be nested deeper than is good to
	// recurse. What an operation contains is listed at once, and operations without
	// regions, which most are, are not asked again.
	t := o.life.use("Operation.Walk", o.raw.Ptr)
	c := o.life.ctx
	era, others := o.life, map[int]*lifetime{} // lifetimes on the stack, by place if not era
	stack := []capi.Child{{Operation: o.raw, Regions: capi.MlirOperationGetNumRegions(t, o.raw)}}
	for len(stack) > 0 {
		last := len(stack) - 1
		child, op := stack[last], Operation{era, stack[last].Operation}
		stack = stack[:last]
		if len(others) > 0 {
			if other, ok := others[last]; ok {
				op.life = other
				delete(others, last)
			}
		}
		if op.erased() {
			continue
		}
		c.last = known{operation: op, name: child.Name} // visitors ask for it
		switch visit(op) {
		case WalkStop:
			return false
		case WalkSkip:
			continue
		}
		if child.Regions == 0 || op.erased() {
			continue
		}
		stack = capi.AppendChildren(t, op.raw, stack)
		slices.Reverse(stack[last:])
		usual := c.era == era && c.calls.current == nil
		for i := last; i < len(stack); i++ {
			p := stack[i].Operation.Ptr
			if usual && !c.listed(p) {
				continue
			}
			if life := c.lifeOf(capi.OperationKind, p); life != era {
				others[i] = life
			}
		}
	}
	return true
}

// WalkPostOrder visits o and every operation in its regions, each after what it
// contains. It reports whether the walk reached its end. The visitor may move and erase
// operations, and WalkSkip is WalkContinue.
func (o Operation) WalkPostOrder(visit func(Operation) WalkAction) bool {
	type entry struct {
		op   Operation
		open bool // what it contains is above it on the stack already
	}
	stack := []entry{{op: o}}
	for len(stack) > 0 {
		last := &stack[len(stack)-1]
		if last.open {
			op := last.op
			stack = stack[:len(stack)-1]
			if !op.erased() && visit(op) == WalkStop {
				return false
			}
			continue
		}
		last.open = true
		if last.op.erased() {
			stack = stack[:len(stack)-1]
			continue
		}
		op, start := last.op, len(stack)
		for _, r := range op.Regions() {
			for b := range r.Blocks() {
				for inner := range b.Operations() {
					stack = append(stack, entry{op: inner})
				}
			}
		}
		slices.Reverse(stack[start:])
	}
	return true
}

// All iterates over o and every operation in its regions, in the order of Walk.
func (o Operation) All() iter.Seq[Operation] {
	return func(yield func(Operation) bool) {
		o.Walk(func(op Operation) WalkAction {
			if !yield(op) {
				return WalkStop
			}
			return WalkContinue
		})
	}
}

// erased reports whether the operation is one that was erased or is gone with what it
// stood in.
func (o Operation) erased() bool {
	return !o.life.good(o.raw.Ptr)
}
