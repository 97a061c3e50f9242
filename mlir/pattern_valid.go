package mlir

import (
	"github.com/calliope-mlir/calliope/internal/capi"
)

// A greedy driver folds what a pattern leaves, and asks it for its effects, and there the
// library takes for granted what verifiers check. So every method that changes the IR
// notes the operations that may no longer be valid, and these are verified when the
// pattern returns: it costs as much as the pattern has changed, and not as much as there
// is.

// touch notes that the operation is changed or made.
func (o Operation) touch() {
	if o.life.ctx.calls.current != nil {
		o.touchedBy()
	}
}

// touchedBy is apart so that touch is inlined: every new operation passes there.
func (o Operation) touchedBy() {
	o.life.ctx.calls.mayChange(o.life.ctx, capi.OperationKind, o.raw.Ptr)
	for c := o.life.ctx.calls.current; c != nil; c = c.previous {
		if c.judged {
			c.touched = append(c.touched, o)
		}
	}
}

// touch notes a change of the operation around the block: of what the block takes, where
// it stands, or how it ends.
func (b Block) touch() {
	if b.IsNil() || b.life.ctx.calls.current == nil {
		return
	}
	if around := b.Parent(); !around.IsNil() {
		around.touch()
	}
}

// touchPlace notes that the operation is about to go from where it stands.
func (o Operation) touchPlace() {
	if o.life.ctx.calls.current != nil && o.Next().IsNil() {
		o.Block().touch() // which ends otherwise then
	}
}

// touchMove notes that the operation is about to stand elsewhere.
func (o Operation) touchMove() {
	o.touchPlace()
	o.touch()
	o.touchUsers()
}

// touchUsers notes a change of what others use of the operation.
func (o Operation) touchUsers() {
	if o.life.ctx.calls.current == nil {
		return
	}
	for _, v := range o.Results() {
		v.touchUsers()
	}
}

// touchUsers notes a change of the value for those that use it.
func (v Value) touchUsers() {
	if v.life.ctx.calls.current == nil {
		return
	}
	for use := range v.Uses() {
		use.Owner.touch()
	}
}

// touch notes a change of the value itself.
func (v Value) touch() {
	if v.life.ctx.calls.current == nil {
		return
	}
	v.touchUsers()
	if at := v.definedAt(); !at.IsNil() {
		at.touch()
	}
}

// valid is an error where something that the pattern has changed is not valid, or where
// folders that come next might never end on it.
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
		// What ends a block is judged by the operation around it, and so is a use that is
		// not plainly behind what it uses. A module does not care how it ends.
		ends, misplaced := capi.Standing(t, o.raw)
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
