package mlir

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// This file has the Rewriter's methods that erase and move.

// mayEnd panics where a driver would go on with an operation that is gone.
func (r *Rewriter) mayEnd(t *capi.Table, op capi.MlirOperation, method string) {
	if r.only.Ptr != nil && !within(t, op, r.only) {
		panic("mlir: " + method + " was given an operation outside the one that was matched: in a walk a pattern erases only that and what is in it")
	}
	for call := r.c.calls.current; call != nil; call = call.previous {
		if call.pattern && r.own {
			panic("mlir: " + method + " of a rewriter of one's own called in a pattern: use the one that the pattern was given")
		}
		if call.root != op && within(t, call.root, op) || call.root == op && !call.pattern {
			panic("mlir: " + method + " was given the operation that a pass or pattern runs on, or one around it")
		}
	}
}

// Erase removes and destroys an operation. The results must be unused: where one is
// used, nothing is erased and the error names a use.
func (r *Rewriter) Erase(o Operation) error {
	t := r.life.check("Rewriter.Erase")
	op, _ := r.placed(o, "Rewriter.Erase")
	r.mayEnd(t, op, "Rewriter.Erase")
	for i, result := range o.Results() {
		for use := range result.Uses() {
			return fmt.Errorf("mlir: %s cannot be erased: its result %d is used by %s at %s",
				o.Name(), i, use.Owner.Name(), use.Owner.Location().Position())
		}
	}
	r.leave(t, op)
	capi.MlirRewriterBaseEraseOp(t, r.raw, op)
	return nil
}

// Replace makes the uses of an operation's results uses of other values, one for
// each result, and erases the operation. None of the values may be one of its own
// results.
func (r *Rewriter) Replace(o Operation, values ...Value) {
	t := r.life.check("Rewriter.Replace")
	op, _ := r.placed(o, "Rewriter.Replace")
	r.mayEnd(t, op, "Rewriter.Replace")
	raw := r.values(values, o.NumResults(), "Rewriter.Replace")
	for _, v := range values {
		r.c.sameTree(o, v, "Rewriter.Replace")
		for at := v.definedAt(); !at.IsNil(); at = at.Parent() {
			if at.Equal(o) {
				panic("mlir: Rewriter.Replace was given a value that goes away with the operation")
			}
		}
	}
	r.leave(t, op)
	capi.MlirRewriterBaseReplaceOpWithValues(t, r.raw, op, len(raw), first(raw))
}

// definedAt is the operation that makes the value, or in whose region the block is
// that has it as an argument.
func (v Value) definedAt() Operation {
	if owner := v.Owner(); !owner.IsNil() {
		return owner
	}
	return v.Block().Parent()
}

// ReplaceWith makes the uses of an operation's results uses of another operation's,
// which has as many, and erases the first one.
func (r *Rewriter) ReplaceWith(o, by Operation) {
	r.op(o, "Rewriter.ReplaceWith")
	r.op(by, "Rewriter.ReplaceWith")
	values := make([]Value, 0, by.NumResults())
	for _, v := range by.Results() {
		values = append(values, v)
	}
	r.Replace(o, values...)
}

// EraseBlock removes and destroys a block. No operation may branch to it, and none
// outside it may use its arguments or what is computed in it: else nothing is erased
// and the error says what is in the way.
func (r *Rewriter) EraseBlock(b Block) error {
	t := r.life.check("Rewriter.EraseBlock")
	raw := r.inRegion(b, "Rewriter.EraseBlock")
	if err := r.c.lib.need("mlirBlockGetNumPredecessors"); err != nil {
		return err
	}
	if n := capi.MlirBlockGetNumPredecessors(t, raw); n > 0 {
		return fmt.Errorf("mlir: the block cannot be erased: %d blocks branch to it", n)
	}
	for o := range b.Operations() {
		r.mayEnd(t, o.raw, "Rewriter.EraseBlock")
		for _, v := range o.Results() {
			if err := unusedOutside(v, b); err != nil {
				return err
			}
		}
	}
	for _, v := range b.Arguments() {
		if err := unusedOutside(v, b); err != nil {
			return err
		}
	}
	if r.only.Ptr != nil && !within(t, capi.MlirBlockGetParentOperation(t, raw), r.only) {
		panic("mlir: Rewriter.EraseBlock was given a block outside the operation that was matched")
	}
	if r.inside(t, raw) {
		r.ClearPoint()
	}
	r.c.last = known{} // the memory of what stood in it may be used again soon
	capi.MlirRewriterBaseEraseBlock(t, r.raw, raw)
	return nil
}

// inside reports whether the insertion point is somewhere in the block.
func (r *Rewriter) inside(t *capi.Table, block capi.MlirBlock) bool {
	for at := r.block; at.Ptr != nil; {
		if at == block {
			return true
		}
		parent := capi.MlirBlockGetParentOperation(t, at)
		if parent.Ptr == nil {
			return false
		}
		at = capi.MlirOperationGetBlock(t, parent)
	}
	return false
}

func unusedOutside(v Value, b Block) error {
	for use := range v.Uses() {
		if !use.Owner.isIn(b) {
			return fmt.Errorf("mlir: the block cannot be erased: %s at %s uses a value of it", use.Owner.Name(), use.Owner.Location().Position())
		}
	}
	return nil
}

// isIn reports whether o stands somewhere in the block.
func (o Operation) isIn(b Block) bool {
	for ; !o.IsNil(); o = o.Parent() {
		if o.Block().Equal(b) {
			return true
		}
	}
	return false
}

// InlineBefore moves the operations of a block before an operation, with values in
// place of the block's arguments, and erases the block. No operation may branch to
// the block.
func (r *Rewriter) InlineBefore(source Block, before Operation, arguments ...Value) error {
	t := r.life.check("Rewriter.InlineBefore")
	op, at := r.placed(before, "Rewriter.InlineBefore")
	r.together(r.blockOf(source, "Rewriter.InlineBefore"), at, "Rewriter.InlineBefore")
	raw, values, err := r.dissolve(t, source, before, arguments, "Rewriter.InlineBefore")
	if err != nil {
		return err
	}
	capi.MlirRewriterBaseInlineBlockBefore(t, r.raw, raw, op, len(values), first(values))
	return nil
}

// Merge moves the operations of a block to the end of another one, with values in
// place of the block's arguments, and erases it. No operation may branch to the
// block.
func (r *Rewriter) Merge(source, into Block, arguments ...Value) error {
	t := r.life.check("Rewriter.Merge")
	dest := r.blockOf(into, "Rewriter.Merge")
	r.together(r.blockOf(source, "Rewriter.Merge"), dest, "Rewriter.Merge")
	if source.Equal(into) {
		panic("mlir: Rewriter.Merge was given one block twice")
	}
	raw, values, err := r.dissolve(t, source, into.Parent(), arguments, "Rewriter.Merge")
	if err != nil {
		return err
	}
	capi.MlirRewriterBaseMergeBlocks(t, r.raw, raw, dest, len(values), first(values))
	return nil
}

// dissolve checks that a block's operations can move to where target stands.
func (r *Rewriter) dissolve(t *capi.Table, source Block, target Operation, arguments []Value, method string) (capi.MlirBlock, []capi.MlirValue, error) {
	raw := r.inRegion(source, method)
	values := r.values(arguments, source.NumArguments(), method)
	if !target.IsNil() && target.isIn(source) {
		panic("mlir: " + method + " was asked to move a block into itself")
	}
	if err := r.c.lib.need("mlirBlockGetNumPredecessors"); err != nil {
		return raw, nil, err
	}
	if n := capi.MlirBlockGetNumPredecessors(t, raw); n > 0 {
		return raw, nil, fmt.Errorf("mlir: the block cannot be dissolved: %d blocks branch to it", n)
	}
	if r.block == raw {
		r.ClearPoint()
	}
	return raw, values, nil
}

// InlineRegion moves the blocks of a region before a block of another one.
func (r *Rewriter) InlineRegion(region Region, before Block) {
	t := r.life.check("Rewriter.InlineRegion")
	capi.MlirRewriterBaseInlineRegionBefore(t, r.raw, r.region(region, before, "Rewriter.InlineRegion"), before.raw)
}

// CloneRegion puts copies of the blocks of a region before a block of another one.
func (r *Rewriter) CloneRegion(region Region, before Block) {
	t := r.life.check("Rewriter.CloneRegion")
	capi.MlirRewriterBaseCloneRegionBefore(t, r.raw, r.region(region, before, "Rewriter.CloneRegion"), before.raw)
}

func (r *Rewriter) region(region Region, before Block, method string) capi.MlirRegion {
	region.in(r.c, method)
	at := r.inRegion(before, method)
	for b := range region.Blocks() {
		r.together(b.raw, at, method)
		if b.Equal(before) || !before.Parent().IsNil() && before.Parent().isIn(b) {
			panic("mlir: " + method + " was asked to put a region into itself")
		}
	}
	return region.raw
}

// MoveBefore moves an operation before another one.
func (r *Rewriter) MoveBefore(o, existing Operation) {
	t, op, at := r.moving(o, existing, "Rewriter.MoveBefore")
	if op != at {
		capi.MlirRewriterBaseMoveOpBefore(t, r.raw, op, at)
	}
}

// MoveAfter moves an operation after another one.
func (r *Rewriter) MoveAfter(o, existing Operation) {
	t, op, at := r.moving(o, existing, "Rewriter.MoveAfter")
	if op != at {
		capi.MlirRewriterBaseMoveOpAfter(t, r.raw, op, at)
	}
}

func (r *Rewriter) moving(o, existing Operation, method string) (*capi.Table, capi.MlirOperation, capi.MlirOperation) {
	t := r.life.check(method)
	op, from := r.placed(o, method)
	at, to := r.placed(existing, method)
	r.together(from, to, method)
	if op != at && within(t, at, op) {
		panic("mlir: " + method + " was asked to move an operation into itself")
	}
	if r.before == op {
		r.before = capi.MlirOperationGetNextInBlock(t, op)
	}
	return t, op, at
}

// MoveBlockBefore moves a block before another one.
func (r *Rewriter) MoveBlockBefore(b, existing Block) {
	t := r.life.check("Rewriter.MoveBlockBefore")
	raw, at := r.inRegion(b, "Rewriter.MoveBlockBefore"), r.inRegion(existing, "Rewriter.MoveBlockBefore")
	r.together(raw, at, "Rewriter.MoveBlockBefore")
	if parent := existing.Parent(); !parent.IsNil() && parent.isIn(b) {
		panic("mlir: Rewriter.MoveBlockBefore was asked to move a block into itself")
	}
	if raw != at {
		capi.MlirRewriterBaseMoveBlockBefore(t, r.raw, raw, at)
	}
}
