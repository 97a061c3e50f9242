package mlir

import "github.com/calliope-mlir/calliope/experimental/capi"

// After a pattern, a greedy driver folds operations and reads their effects, and the
// library relies there on what verifiers check. So every method that changes the IR records
// the operations that may no longer be valid. They are verified when the pattern returns.
// The cost depends on the size of the change, not on that of the module.

// touch records that the operation was changed or created.
func (o Operation) touch() {
	if o.life.ctx.calls.current != nil {
		o.recordTouch()
	}
}

// recordTouch is a separate function so that touch, which every new operation calls, is
// inlined.
func (o Operation) recordTouch() {
	o.life.ctx.calls.mayChange(o.life.ctx, capi.OperationKind, o.raw.Ptr)
	for c := o.life.ctx.calls.current; c != nil; c = c.previous {
		if c.verified {
			c.touched = append(c.touched, o)
		}
	}
}

// touch records a change of the operation that contains the block: of the block's
// arguments, its position, or its end.
func (b Block) touch() {
	if b.IsNil() || b.life.ctx.calls.current == nil {
		return
	}
	if around := b.Parent(); !around.IsNil() {
		around.touch()
	}
}

// touchPlace records that the operation is about to leave its position.
func (o Operation) touchPlace() {
	if o.life.ctx.calls.current != nil && o.Next().IsNil() {
		o.Block().touch() // its last operation changes
	}
}

// touchMove records that the operation is about to move.
func (o Operation) touchMove() {
	o.touchPlace()
	o.touch()
	o.touchUsers()
}

// touchUsers records a change of the operation's results for their users.
func (o Operation) touchUsers() {
	if o.life.ctx.calls.current == nil {
		return
	}
	for _, v := range o.Results() {
		v.touchUsers()
	}
}

// touchUsers records a change of the value for its users.
func (v Value) touchUsers() {
	if v.life.ctx.calls.current == nil {
		return
	}
	for use := range v.Uses() {
		use.Owner.touch()
	}
}

// touch records a change of the value itself.
func (v Value) touch() {
	if v.life.ctx.calls.current == nil {
		return
	}
	v.touchUsers()
	if at := v.definedAt(); !at.IsNil() {
		at.touch()
	}
}

// valid returns an error if an operation that the pattern changed is not valid, or if the
// folders that are called next might not terminate on it.
func (c *call) valid(x *Context, folds bool) error {
	t := x.api
	verified := map[pointer]bool{}
	verify := func(o Operation) error {
		if verified[o.raw.Ptr] {
			return nil
		}
		verified[o.raw.Ptr] = true
		if err := o.guarded(); err != nil {
			return err
		}
		return o.Verify()
	}
	seen := map[pointer]bool{}
	cycle := false // there may be one
	for _, o := range c.touched {
		if seen[o.raw.Ptr] || o.erased() || capi.Top(t, capi.OperationKind, o.raw.Ptr) != c.top {
			continue
		}
		seen[o.raw.Ptr] = true
		if err := verify(o); err != nil {
			return err
		}
		around := o.Parent()
		if around.IsNil() {
			continue
		}
		// The last operation of a block is verified by the operation that contains the
		// block. So is a use that is not clearly after the definition. A module does not
		// need a terminator.
		ends, misplaced := capi.CheckPosition(t, o.raw)
		cycle = cycle || misplaced
		if misplaced || ends && around.Name() != "builtin.module" {
			if err := verify(around); err != nil {
				return err
			}
		}
	}
	if folds && cycle {
		return x.operation(c.on).acyclic("applying the patterns", ", or set NoFolding")
	}
	return nil
}
