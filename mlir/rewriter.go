package mlir

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Rewriter changes operations so that whoever works through them at the same time
// knows of it: a pattern gets one and makes all its changes with it. It has an
// insertion point, where Create and Insert put operations.
//
// After an operation was erased or replaced, handles to it, to its results and to
// what was in it may not be used.
type Rewriter struct {
	c    *Context
	raw  capi.MlirRewriterBase
	life *lifetime
	own  bool // made by NewRewriter, and to be destroyed

	// The insertion point, kept here because the library's own one is left dangling
	// when what it points to goes away: before an operation, or else at the end of a
	// block, or nowhere.
	block  capi.MlirBlock
	before capi.MlirOperation

	// only, where it is set, is the operation outside which nothing may be erased.
	only capi.MlirOperation
}

// NewRewriter makes a rewriter without a pattern, for changes like those of a
// pattern. It has no insertion point. The caller closes it, or the context does.
func (c *Context) NewRewriter() (*Rewriter, error) {
	t := c.life.check("Context.NewRewriter")
	if err := c.lib.needAll("mlirIRRewriterCreate", "mlirRewriterBaseInsert"); err != nil {
		return nil, err
	}
	r := &Rewriter{c: c, own: true, life: &lifetime{ctx: c, of: "Rewriter", parent: c.life}}
	r.raw = capi.MlirIRRewriterCreate(t, c.raw)
	c.calls.keep(r)
	return r, nil
}

// Close destroys a rewriter that NewRewriter made. On one that a pattern was given
// it does nothing.
func (r *Rewriter) Close() {
	if !r.own || r.life.ended || r.c.life.ended {
		return
	}
	capi.MlirIRRewriterDestroy(r.c.lib.api, r.raw)
	r.life.ended = true
	delete(r.c.calls.open, r)
}

// Context is the context that the rewriter works in.
func (r *Rewriter) Context() *Context {
	r.life.check("Rewriter.Context")
	return r.c
}

// op, block and values check what a method is given.
func (r *Rewriter) op(o Operation, method string) capi.MlirOperation {
	r.life.check(method)
	return o.in(r.c, method)
}

func (r *Rewriter) blockOf(b Block, method string) capi.MlirBlock {
	r.life.check(method)
	return b.in(r.c, method)
}

// placed is an operation in a block.
func (r *Rewriter) placed(o Operation, method string) (op capi.MlirOperation, in capi.MlirBlock) {
	op = r.op(o, method)
	in = capi.MlirOperationGetBlock(r.c.lib.api, op)
	if in.Ptr == nil {
		panic("mlir: " + method + " was given an operation that stands in no block")
	}
	return op, in
}

// in is a block in a region.
func (r *Rewriter) inRegion(b Block, method string) capi.MlirBlock {
	raw := r.blockOf(b, method)
	if capi.MlirBlockGetParentRegion(r.c.lib.api, raw).Ptr == nil {
		panic("mlir: " + method + " was given a block that is in no region")
	}
	return raw
}

func (r *Rewriter) values(values []Value, want int, method string) []capi.MlirValue {
	if len(values) != want {
		panic(fmt.Sprintf("mlir: %s was given %d values for %d", method, len(values), want))
	}
	raw := make([]capi.MlirValue, len(values))
	for i, v := range values {
		raw[i] = r.value(v, method)
	}
	return raw
}

func (r *Rewriter) value(v Value, method string) capi.MlirValue {
	return v.in(r.c, method)
}

// SetBefore puts the insertion point before an operation.
func (r *Rewriter) SetBefore(o Operation) {
	r.before, r.block = r.placed(o, "Rewriter.SetBefore")
}

// SetAfter puts the insertion point after an operation.
func (r *Rewriter) SetAfter(o Operation) {
	op, block := r.placed(o, "Rewriter.SetAfter")
	r.before, r.block = capi.MlirOperationGetNextInBlock(r.c.lib.api, op), block
}

// SetAfterValue puts the insertion point where the value can first be used: after
// the operation that it is a result of, or at the start of its block.
func (r *Rewriter) SetAfterValue(v Value) {
	r.life.check("Rewriter.SetAfterValue")
	r.value(v, "Rewriter.SetAfterValue")
	if owner := v.Owner(); !owner.IsNil() {
		r.SetAfter(owner)
		return
	}
	r.SetStart(v.Block())
}

// SetStart puts the insertion point at the start of a block.
func (r *Rewriter) SetStart(b Block) {
	r.block = r.blockOf(b, "Rewriter.SetStart")
	r.before = capi.MlirBlockGetFirstOperation(r.c.lib.api, r.block)
}

// SetEnd puts the insertion point at the end of a block.
func (r *Rewriter) SetEnd(b Block) {
	r.block, r.before = r.blockOf(b, "Rewriter.SetEnd"), capi.MlirOperation{}
}

// ClearPoint leaves the rewriter without an insertion point.
func (r *Rewriter) ClearPoint() {
	r.life.check("Rewriter.ClearPoint")
	r.block, r.before = capi.MlirBlock{}, capi.MlirOperation{}
}

// Block is the block that the insertion point is in, nil where there is none.
func (r *Rewriter) Block() Block {
	r.life.check("Rewriter.Block")
	return r.madeBlock(r.block)
}

// made and madeBlock are handles as those who own what they stand in have them.
func (r *Rewriter) made(op capi.MlirOperation) Operation {
	life, _ := r.c.topOf(capi.OperationKind, op.Ptr, r.life)
	return Operation{life, op}
}

func (r *Rewriter) madeBlock(b capi.MlirBlock) Block {
	if b.Ptr == nil {
		return Block{}
	}
	life, _ := r.c.topOf(capi.BlockKind, b.Ptr, r.life)
	return Block{life, b}
}

// together panics where two things stand in different modules, or one in none.
func (r *Rewriter) together(a, b capi.MlirBlock, method string) {
	_, top := r.c.topOf(capi.BlockKind, a.Ptr, r.life)
	if _, other := r.c.topOf(capi.BlockKind, b.Ptr, r.life); top != other {
		panic("mlir: " + method + " was given things of two modules, or something detached")
	}
}

// point sets the library's insertion point.
func (r *Rewriter) point(t *capi.Table, method string) error {
	switch {
	case r.block.Ptr == nil:
		return errors.New("mlir: " + method + " has nowhere to put the operation: set the insertion point first")
	case r.before.Ptr != nil:
		capi.MlirRewriterBaseSetInsertionPointBefore(t, r.raw, r.before)
	default:
		capi.MlirRewriterBaseSetInsertionPointToEnd(t, r.raw, r.block)
	}
	return nil
}

// leave moves the insertion point off an operation that goes away, and gives it up
// where all of its block goes.
func (r *Rewriter) leave(t *capi.Table, op capi.MlirOperation) {
	r.c.last = known{} // its memory may be another operation's soon
	if r.before == op {
		r.before = capi.MlirOperationGetNextInBlock(t, op)
		return
	}
	if r.block.Ptr != nil && within(t, capi.MlirBlockGetParentOperation(t, r.block), op) {
		r.block, r.before = capi.MlirBlock{}, capi.MlirOperation{}
	}
}

// Create makes an operation at the insertion point, which then is behind it.
func (r *Rewriter) Create(s OperationState) (Operation, error) {
	r.life.check("Rewriter.Create")
	if r.block.Ptr == nil {
		return Operation{}, errors.New("mlir: Rewriter.Create has nowhere to put the operation: set the insertion point first")
	}
	o, err := r.c.Create(s)
	if err != nil {
		return Operation{}, err
	}
	return r.Insert(o)
}

// Insert puts a detached operation at the insertion point, which then is behind it.
func (r *Rewriter) Insert(o Operation) (Operation, error) {
	t := r.life.check("Rewriter.Insert")
	raw := r.op(o, "Rewriter.Insert")
	if err := r.point(t, "Rewriter.Insert"); err != nil {
		return Operation{}, err
	}
	home, _ := r.c.topOf(capi.BlockKind, r.block.Ptr, r.life)
	r.c.adopt(capi.OperationKind, raw.Ptr, home, "an operation that stands in a block already", "Rewriter.Insert")
	return r.made(capi.MlirRewriterBaseInsert(t, r.raw, raw)), nil
}

// Clone puts a copy of an operation, with all that is in it, at the insertion point.
func (r *Rewriter) Clone(o Operation) (Operation, error) {
	t := r.life.check("Rewriter.Clone")
	raw := r.op(o, "Rewriter.Clone")
	if err := r.point(t, "Rewriter.Clone"); err != nil {
		return Operation{}, err
	}
	return r.made(capi.MlirRewriterBaseClone(t, r.raw, raw)), nil
}

// CloneWithoutRegions puts a copy of an operation whose regions are empty at the
// insertion point.
func (r *Rewriter) CloneWithoutRegions(o Operation) (Operation, error) {
	t := r.life.check("Rewriter.CloneWithoutRegions")
	raw := r.op(o, "Rewriter.CloneWithoutRegions")
	if err := r.point(t, "Rewriter.CloneWithoutRegions"); err != nil {
		return Operation{}, err
	}
	return r.made(capi.MlirRewriterBaseCloneWithoutRegions(t, r.raw, raw)), nil
}

// NewBlock makes a block before another one of a region, and puts the insertion
// point into it. The arguments are all at one location.
func (r *Rewriter) NewBlock(before Block, location Location, arguments ...Type) Block {
	t := r.life.check("Rewriter.NewBlock")
	raw := r.inRegion(before, "Rewriter.NewBlock")
	at := location.in(r.c, "Rewriter.NewBlock")
	types := r.c.rawTypes(arguments, "Rewriter.NewBlock")
	locations := make([]capi.MlirLocation, len(types))
	for i := range locations {
		locations[i] = at
	}
	r.block = capi.MlirRewriterBaseCreateBlockBefore(t, r.raw, raw, len(types), first(types), first(locations))
	r.before = capi.MlirOperation{}
	return r.madeBlock(r.block)
}

// Modify changes an operation in place: f may set its attributes, operands and
// location. When f returns an error the operation counts as unchanged.
func (r *Rewriter) Modify(o Operation, f func() error) error {
	t := r.life.check("Rewriter.Modify")
	raw := r.op(o, "Rewriter.Modify")
	capi.MlirRewriterBaseStartOpModification(t, r.raw, raw)
	done := false
	defer func() {
		if !done {
			capi.MlirRewriterBaseCancelOpModification(t, r.raw, raw)
		}
	}()
	if err := f(); err != nil {
		return err
	}
	done = true
	capi.MlirRewriterBaseFinalizeOpModification(t, r.raw, raw)
	return nil
}

// ReplaceAllUses makes every use of a value a use of another one.
func (r *Rewriter) ReplaceAllUses(from, to Value) {
	t := r.life.check("Rewriter.ReplaceAllUses")
	r.sameTop(from, to, "Rewriter.ReplaceAllUses")
	capi.MlirRewriterBaseReplaceAllUsesWith(t, r.raw, r.value(from, "Rewriter.ReplaceAllUses"), r.value(to, "Rewriter.ReplaceAllUses"))
}

// ReplaceAllUsesExcept does so but for the uses by one operation.
func (r *Rewriter) ReplaceAllUsesExcept(from, to Value, except Operation) {
	t := r.life.check("Rewriter.ReplaceAllUsesExcept")
	r.sameTop(from, to, "Rewriter.ReplaceAllUsesExcept")
	capi.MlirRewriterBaseReplaceAllUsesExcept(t, r.raw, r.value(from, "Rewriter.ReplaceAllUsesExcept"),
		r.value(to, "Rewriter.ReplaceAllUsesExcept"), r.op(except, "Rewriter.ReplaceAllUsesExcept"))
}

// ReplaceUsesInBlock makes the uses of an operation's results that stand in a block
// uses of other values, one for each result.
func (r *Rewriter) ReplaceUsesInBlock(o Operation, values []Value, b Block) {
	t := r.life.check("Rewriter.ReplaceUsesInBlock")
	op := r.op(o, "Rewriter.ReplaceUsesInBlock")
	raw := r.values(values, o.NumResults(), "Rewriter.ReplaceUsesInBlock")
	capi.MlirRewriterBaseReplaceOpUsesWithinBlock(t, r.raw, op, len(raw), first(raw), r.blockOf(b, "Rewriter.ReplaceUsesInBlock"))
}

// sameTop panics where a value would take the place of one in another module.
func (r *Rewriter) sameTop(from, to Value, method string) {
	r.value(from, method)
	r.value(to, method)
	_, top := r.c.topOfValue(from)
	if _, other := r.c.topOfValue(to); top != other {
		panic("mlir: " + method + " was given values of two modules, or a detached one")
	}
}
