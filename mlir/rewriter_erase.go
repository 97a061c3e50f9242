package mlir

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// This file has the Rewriter's methods that erase and move.

// Erase removes and destroys an operation. If a result, or a value in it, is used outside,
// Erase destroys nothing and returns an error that names a use.
func (r *Rewriter) Erase(o Operation) error {
	t := r.life.check("Rewriter.Erase")
	op, _ := r.placed(o, "Rewriter.Erase")
	r.c.calls.mayTake(r.c, r.call, capi.OperationKind, op.Ptr, "Rewriter.Erase")
	if err := r.c.unused(capi.OperationKind, op.Ptr, o.Name()); err != nil {
		return err
	}
	if err := o.branchedInto(); err != nil {
		return fmt.Errorf("mlir: %s cannot be erased: %w", o.Name(), err)
	}
	r.leave(t, op)
	o.touchPlace()
	r.remove(capi.OperationKind, op.Ptr, "Rewriter.Erase")
	return nil
}

// Replace replaces the uses of an operation's results by uses of other values, one for each
// result, and erases the operation. The values must not be results of the operation or be
// defined in it. Nothing outside may use a value in its regions.
func (r *Rewriter) Replace(o Operation, values ...Value) {
	t := r.life.check("Rewriter.Replace")
	op, _ := r.placed(o, "Rewriter.Replace")
	r.c.calls.mayTake(r.c, r.call, capi.OperationKind, op.Ptr, "Rewriter.Replace")
	raw := r.values(values, o.NumResults(), "Rewriter.Replace")
	for _, v := range values {
		r.inTree(o, v, "Rewriter.Replace")
		for at := v.definedAt(); !at.IsNil(); at = at.Parent() {
			if at.Equal(o) {
				panic("mlir: Rewriter.Replace was given a value of the operation that it erases")
			}
		}
	}
	for _, region := range o.Regions() {
		if err := r.c.unused(capi.RegionKind, region.raw.Ptr, o.Name()); err != nil {
			panic("mlir: Rewriter.Replace: " + strings.TrimPrefix(err.Error(), "mlir: "))
		}
	}
	if err := o.branchedInto(); err != nil {
		panic(fmt.Sprintf("mlir: Rewriter.Replace: %v", err))
	}
	o.touchUsers()
	o.touchPlace()
	capi.MlirRewriterBaseReplaceAllOpUsesWithValueRange(t, r.raw, op, len(raw), first(raw))
	r.leave(t, op)
	r.remove(capi.OperationKind, op.Ptr, "Rewriter.Replace")
}

// definedAt returns the operation that defines the value, or whose region contains the
// block that the value is an argument of.
func (v Value) definedAt() Operation {
	if owner := v.Owner(); !owner.IsNil() {
		return owner
	}
	return v.Block().Parent()
}

// ReplaceWith replaces the uses of an operation's results by uses of the results of another
// operation, which must have as many, and erases the first operation.
func (r *Rewriter) ReplaceWith(o, by Operation) {
	r.op(o, "Rewriter.ReplaceWith")
	r.op(by, "Rewriter.ReplaceWith")
	r.Replace(o, by.ResultValues()...)
}

// EraseBlock removes and destroys a block. If an operation branches to the block, or one
// outside uses a value in it, EraseBlock destroys nothing and returns an error that names
// the operation.
func (r *Rewriter) EraseBlock(b Block) error {
	r.life.check("Rewriter.EraseBlock")
	raw := r.inRegion(b, "Rewriter.EraseBlock")
	r.c.calls.mayTake(r.c, r.call, capi.BlockKind, raw.Ptr, "Rewriter.EraseBlock")
	if err := r.c.unused(capi.BlockKind, raw.Ptr, "the block"); err != nil {
		return err
	}
	if branch := r.c.branch(capi.BlockKind, raw.Ptr); !branch.IsNil() {
		return fmt.Errorf("mlir: the block cannot be erased: %s at %s branches to it", branch.Name(),
			branch.Location().Position())
	}
	b.touch()
	r.remove(capi.BlockKind, raw.Ptr, "Rewriter.EraseBlock")
	return nil
}

// isIn reports whether o is in the block, at any depth.
func (o Operation) isIn(b Block) bool {
	for ; !o.IsNil(); o = o.Parent() {
		if o.Block().Equal(b) {
			return true
		}
	}
	return false
}

// InlineBlockBefore moves the operations of a block before an operation, replaces the
// block's arguments by the given values, and erases the block. It returns an error if an
// operation branches to the block.
func (r *Rewriter) InlineBlockBefore(source Block, before Operation, arguments ...Value) error {
	t := r.life.check("Rewriter.InlineBlockBefore")
	op, at := r.placed(before, "Rewriter.InlineBlockBefore")
	r.together(r.blockOf(source, "Rewriter.InlineBlockBefore"), at, "Rewriter.InlineBlockBefore")
	moved, err := r.emptyAndErase(t, source, before, arguments, "Rewriter.InlineBlockBefore")
	if err != nil {
		return err
	}
	capi.MlirRewriterBaseInlineBlockBefore(t, r.raw, moved, op, 0, nil)
	return nil
}

// MergeBlocks moves the operations of a block to the end of another one, replaces its
// arguments by the given values, and erases it. It returns an error if an operation
// branches to the block.
func (r *Rewriter) MergeBlocks(source, into Block, arguments ...Value) error {
	t := r.life.check("Rewriter.MergeBlocks")
	dest := r.blockOf(into, "Rewriter.MergeBlocks")
	r.together(r.blockOf(source, "Rewriter.MergeBlocks"), dest, "Rewriter.MergeBlocks")
	if source.Equal(into) {
		panic("mlir: Rewriter.MergeBlocks was given the same block twice")
	}
	moved, err := r.emptyAndErase(t, source, into.Parent(), arguments, "Rewriter.MergeBlocks")
	if err != nil {
		return err
	}
	capi.MlirRewriterBaseMergeBlocks(t, r.raw, moved, dest, 0, nil)
	return nil
}

// emptyAndErase checks that a block's operations can move to target's position, and erases the
// block. It moves the operations to a new block, without arguments and handles, which the
// library may free.
func (r *Rewriter) emptyAndErase(
	t *capi.Table, source Block, target Operation, arguments []Value, method string,
) (capi.MlirBlock, error) {
	raw := r.inRegion(source, method)
	values := r.values(arguments, source.NumArguments(), method)
	if !target.IsNil() && target.isIn(source) {
		panic("mlir: " + method + " was asked to move a block into itself")
	}
	r.c.calls.mayMove(r.c, capi.BlockKind, raw.Ptr, method)
	top := capi.Top(t, capi.BlockKind, raw.Ptr)
	for _, v := range arguments {
		if v.Block().Equal(source) {
			panic("mlir: " + method + " was given an argument of the block that it erases")
		}
		if capi.Top(t, capi.ValueKind, v.raw.Ptr) != top {
			panic("mlir: " + method + " was given a value of another module, or a detached one")
		}
	}
	if branch := r.c.branch(capi.BlockKind, raw.Ptr); !branch.IsNil() {
		return raw, fmt.Errorf("mlir: the block cannot be erased: %s at %s branches to it", branch.Name(),
			branch.Location().Position())
	}
	for o := range source.Operations() {
		for inner := range o.All() {
			for _, to := range inner.Successors() {
				if to.raw == raw {
					return raw, fmt.Errorf("mlir: the block cannot be erased: %s at %s, in it, branches to it",
						inner.Name(), inner.Location().Position())
				}
			}
		}
	}
	source.touch()
	for o := range source.Operations() {
		o.touchMove()
	}
	for i, v := range values {
		capi.MlirRewriterBaseReplaceAllUsesWith(t, r.raw, capi.MlirBlockGetArgument(t, raw, i), v)
	}
	moved := capi.MlirBlockCreate(t, 0, nil, nil)
	capi.MlirRegionInsertOwnedBlockAfter(t, capi.MlirBlockGetParentRegion(t, raw), raw, moved)
	for op := capi.MlirBlockGetFirstOperation(t, raw); op.Ptr != nil; op = capi.MlirBlockGetFirstOperation(t, raw) {
		capi.MlirOperationRemoveFromParent(t, op)
		capi.MlirBlockAppendOwnedOperation(t, moved, op)
	}
	r.remove(capi.BlockKind, raw.Ptr, method)
	return moved, nil
}

// InlineRegionBefore moves the blocks of a region before a block of another region.
func (r *Rewriter) InlineRegionBefore(region Region, before Block) {
	t := r.life.check("Rewriter.InlineRegionBefore")
	raw := r.region(region, before, true, "Rewriter.InlineRegionBefore")
	region.First().touch()
	before.touch()
	capi.MlirRewriterBaseInlineRegionBefore(t, r.raw, raw, before.raw)
}

// CloneRegionBefore inserts copies of the blocks of a region before a block of another
// region.
func (r *Rewriter) CloneRegionBefore(region Region, before Block) {
	t := r.life.check("Rewriter.CloneRegionBefore")
	raw := r.region(region, before, false, "Rewriter.CloneRegionBefore")
	before.touch()
	capi.MlirRewriterBaseCloneRegionBefore(t, r.raw, raw, before.raw)
}

func (r *Rewriter) region(region Region, before Block, move bool, method string) capi.MlirRegion {
	region.in(r.c, method)
	at := r.inRegion(before, method)
	r.c.calls.mayChange(r.c, capi.BlockKind, at.Ptr)
	for b := range region.Blocks() {
		if move {
			r.c.calls.mayMove(r.c, capi.BlockKind, b.raw.Ptr, method)
		}
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
	if op != at && capi.Inside(t, at, op.Ptr) {
		panic("mlir: " + method + " was asked to move an operation into itself")
	}
	r.c.calls.mayMove(r.c, capi.OperationKind, op.Ptr, method)
	r.leave(t, op)
	o.touchMove()
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
	r.c.calls.mayMove(r.c, capi.BlockKind, raw.Ptr, "Rewriter.MoveBlockBefore")
	b.touch()
	existing.touch()
	if raw != at {
		capi.MlirRewriterBaseMoveBlockBefore(t, r.raw, raw, at)
	}
}
