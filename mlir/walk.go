package mlir

import (
	"iter"
	"slices"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A WalkAction tells a walk how to continue.
type WalkAction int

const (
	WalkContinue WalkAction = iota // continue
	WalkSkip                       // continue, but not into this operation's regions
	WalkStop                       // stop the walk
)

// Walk calls visit for o and every operation in its regions, in the order of the text: each
// before its contents. It reports whether the walk reached the end. visit may erase and
// move operations. Erased operations are not visited, and neither are their contents.
func (o Operation) Walk(visit func(Operation) WalkAction) bool {
	// An explicit stack, because untrusted modules may be nested too deeply for recursion.
	// The contents of an operation are listed in one call. Operations without regions, the
	// majority, need no call.
	t := o.life.use("Operation.Walk", o.raw.Ptr)
	c := o.life.ctx
	era, others := o.life, map[int]*lifetime{} // lifetimes on the stack, by index, if not era
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
		c.last = known{operation: op, name: child.Name} // visitors usually read the name
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

// WalkPostOrder calls visit for o and every operation in its regions, each after its
// contents. It reports whether the walk reached the end. visit may move and erase
// operations. WalkSkip means WalkContinue.
func (o Operation) WalkPostOrder(visit func(Operation) WalkAction) bool {
	type entry struct {
		op   Operation
		open bool // its contents were pushed on the stack
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

// All returns an iterator over o and every operation in its regions, in the order of Walk.
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

// erased reports whether the operation was erased, itself or with the object that contained
// it.
func (o Operation) erased() bool {
	return !o.life.good(o.raw.Ptr)
}
