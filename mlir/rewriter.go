package mlir

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A Rewriter changes operations and notifies the driver that works on them. A pattern gets
// one and must make all its changes with it. A Rewriter has an insertion point, where
// Create and Insert add operations.
//
// Using a handle to an operation that was erased or replaced, to its results or to
// something in it panics, as after Operation.Erase.
type Rewriter struct {
	c    *Context
	raw  capi.MlirRewriterBase
	life *lifetime
	own  bool // created by NewRewriter, and to be destroyed

	// The insertion point: before an operation, at the end of a block, or nil. It is kept
	// here because the library's own insertion point dangles when its operation is
	// destroyed.
	at point

	// For a pattern: its call, and the erased objects that are not freed yet.
	call   *call
	erased []removed
}

// NewRewriter creates a rewriter for changes outside of a pattern. It has no insertion
// point. The caller must close it, or it is closed with the context.
func (c *Context) NewRewriter() (*Rewriter, error) {
	t := c.life.check("Context.NewRewriter")
	if err := c.lib.need("mlirIRRewriterCreate", "mlirRewriterBaseInsert"); err != nil {
		return nil, err
	}
	r := &Rewriter{c: c, own: true, life: &lifetime{ctx: c, of: "Rewriter", parent: c.life}}
	r.raw = capi.MlirIRRewriterCreate(t, c.raw)
	c.calls.keep(r)
	return r, nil
}

// Close destroys a rewriter that NewRewriter created. It does nothing for the rewriter of a
// pattern. The error is always nil.
func (r *Rewriter) Close() error {
	if !r.own || r.life.ended || r.c.life.ended {
		return nil
	}
	capi.MlirIRRewriterDestroy(r.c.api, r.raw)
	r.life.ended = true
	delete(r.c.calls.open, r)
	return nil
}

// Context returns the context that the rewriter works in.
func (r *Rewriter) Context() *Context {
	r.life.check("Rewriter.Context")
	return r.c
}

// op, blockOf and values check the arguments of a method.
func (r *Rewriter) op(o Operation, method string) capi.MlirOperation {
	r.life.check(method)
	return o.in(r.c, method)
}

func (r *Rewriter) blockOf(b Block, method string) capi.MlirBlock {
	r.life.check(method)
	return b.in(r.c, method)
}

// placed returns an operation and its block. It panics if the operation is detached.
func (r *Rewriter) placed(o Operation, method string) (op capi.MlirOperation, in capi.MlirBlock) {
	op = r.op(o, method)
	in = capi.MlirOperationGetBlock(r.c.api, op)
	if in.Ptr == nil {
		panic("mlir: " + method + " was given an operation that is not in a block")
	}
	return op, in
}

// inRegion returns a block that is in a region. It panics if the block is detached.
func (r *Rewriter) inRegion(b Block, method string) capi.MlirBlock {
	raw := r.blockOf(b, method)
	if capi.MlirBlockGetParentRegion(r.c.api, raw).Ptr == nil {
		panic("mlir: " + method + " was given a block that is not in a region")
	}
	return raw
}

func (r *Rewriter) values(values []Value, want int, method string) []capi.MlirValue {
	if len(values) != want {
		panic(fmt.Sprintf("mlir: %s was given %d values instead of %d", method, len(values), want))
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

// SetInsertionPoint sets where the rewriter inserts operations. It must be in a block; nil
// leaves the rewriter without an insertion point.
func (r *Rewriter) SetInsertionPoint(ip InsertionPoint) {
	const method = "Rewriter.SetInsertionPoint"
	r.life.check(method)
	switch ip := ip.(type) {
	case nil:
		r.at = point{}
		return
	case Block:
		r.at = point{block: ip}
	case point:
		if ip.moved() {
			panic("mlir: " + method +
				" was given an insertion point whose operation has moved or was erased: take a new one")
		}
		r.at = ip
	case *Rewriter:
		r.at = ip.at
	case *ConversionRewriter:
		r.at = ip.rewriter.at
	case *Builder:
		r.SetInsertionPoint(ip.at)
		return
	default:
		panic("mlir: " + method + " was given an insertion point that is not in a block: use a Block, Before or After")
	}
	if !r.at.block.IsNil() {
		r.blockOf(r.at.block, method)
	}
}

// Block returns the block that the insertion point is in, or the nil Block if there is none.
func (r *Rewriter) Block() Block {
	r.life.check("Rewriter.Block")
	if r.at.block.gone() {
		return Block{}
	}
	return r.at.block
}

// together panics if two blocks are in different modules, or one is not in a module.
func (r *Rewriter) together(a, b capi.MlirBlock, method string) {
	if t := r.c.api; capi.Top(t, capi.BlockKind, a.Ptr) != capi.Top(t, capi.BlockKind, b.Ptr) {
		panic("mlir: " + method + " was given objects of two modules, or a detached one")
	}
}

// point sets the library's insertion point.
func (r *Rewriter) point(t *capi.Table, method string) error {
	if !r.at.block.gone() {
		r.at.block.notPlaceholder(method)
	}
	switch {
	case r.at.block.IsNil():
		return errors.New("mlir: " + method + ": the rewriter has no insertion point: call SetInsertionPoint first")
	case r.at.moved():
		return errors.New("mlir: " + method + ": the operation or block of the insertion point was erased or has moved: call SetInsertionPoint again")
	case r.at.before.IsNil():
		capi.MlirRewriterBaseSetInsertionPointToEnd(t, r.raw, r.at.block.raw)
	default:
		capi.MlirRewriterBaseSetInsertionPointBefore(t, r.raw, r.at.before.raw)
	}
	r.c.calls.mayChange(r.c, capi.BlockKind, r.at.block.raw.Ptr)
	return nil
}

// gone reports whether the block is nil or was erased.
func (b Block) gone() bool { return b.IsNil() || !b.life.good(b.raw.Ptr) }

// leave moves the insertion point away from an operation that is about to be erased or
// moved.
func (r *Rewriter) leave(t *capi.Table, op capi.MlirOperation) {
	if r.at.before.raw == op {
		r.at.before = r.c.operation(capi.MlirOperationGetNextInBlock(t, op))
	}
}

// create creates an operation and inserts it at the insertion point, which is after it
// then.
func (r *Rewriter) create(s *OperationState) (Operation, error) {
	t := r.life.check("Create")
	if err := r.point(t, "Create"); err != nil {
		return Operation{}, err
	}
	o, err := r.c.create(t, "Create", point{}, s)
	if err != nil {
		return Operation{}, err
	}
	return r.Insert(o)
}

// Insert inserts a detached operation at the insertion point, which is after it then.
func (r *Rewriter) Insert(o Operation) (Operation, error) {
	t := r.life.check("Rewriter.Insert")
	raw := r.op(o, "Rewriter.Insert")
	if err := r.point(t, "Rewriter.Insert"); err != nil {
		return Operation{}, err
	}
	r.at.block.adopt(o, "Rewriter.Insert")
	capi.MlirRewriterBaseInsert(t, r.raw, raw)
	return o, nil
}

// Clone inserts a copy of an operation, with everything in it, at the insertion point. The
// values that it uses must be in the same module.
func (r *Rewriter) Clone(o Operation) (Operation, error) {
	return r.clone(o, "Rewriter.Clone", capi.MlirRewriterBaseClone)
}

// CloneWithoutRegions inserts a copy of an operation, with empty regions, at the insertion
// point.
func (r *Rewriter) CloneWithoutRegions(o Operation) (Operation, error) {
	return r.clone(o, "Rewriter.CloneWithoutRegions", capi.MlirRewriterBaseCloneWithoutRegions)
}

func (r *Rewriter) clone(
	o Operation, method string, clone func(*capi.Table, capi.MlirRewriterBase, capi.MlirOperation) capi.MlirOperation,
) (Operation, error) {
	t := r.life.check(method)
	raw := r.op(o, method)
	if err := r.point(t, method); err != nil {
		return Operation{}, err
	}
	if to := capi.Top(t, capi.BlockKind, r.at.block.raw.Ptr); to != capi.Top(t, capi.OperationKind, raw.Ptr) {
		tried := capi.MlirOperationClone(t, raw)
		user := capi.UserOfOutside(t, capi.OperationKind, tried.Ptr, to)
		capi.MlirOperationDestroy(t, tried)
		if user.Ptr != nil {
			panic("mlir: " + method + " was given an operation of another module that uses values there")
		}
	}
	made := r.c.operation(clone(t, r.raw, raw))
	made.touch()
	return made, nil
}

// NewBlock creates a block before another one in its region, and sets the insertion point
// to its end. The arguments are all at one location.
func (r *Rewriter) NewBlock(before Block, loc Location, arguments ...Type) Block {
	t := r.life.check("Rewriter.NewBlock")
	raw := r.inRegion(before, "Rewriter.NewBlock")
	r.c.calls.mayChange(r.c, capi.BlockKind, raw.Ptr)
	at := loc.in(r.c, "Rewriter.NewBlock")
	types := r.c.rawTypes(arguments, "Rewriter.NewBlock")
	locations := make([]capi.MlirLocation, len(types))
	for i := range locations {
		locations[i] = at
	}
	made := capi.MlirRewriterBaseCreateBlockBefore(t, r.raw, raw, len(types), first(types), first(locations))
	r.at.block, r.at.before = r.c.block(made), Operation{}
	r.at.block.touch()
	return r.at.block
}

// ModifyInPlace calls f, which may set the attributes, operands and location of the
// operation, and notifies the driver of the change. If f returns an error, ModifyInPlace
// returns it, and the operation counts as unchanged.
func (r *Rewriter) ModifyInPlace(o Operation, f func() error) error {
	t := r.life.check("Rewriter.ModifyInPlace")
	raw := r.op(o, "Rewriter.ModifyInPlace")
	capi.MlirRewriterBaseStartOpModification(t, r.raw, raw)
	done := false
	defer func() {
		if !done && !o.erased() {
			capi.MlirRewriterBaseCancelOpModification(t, r.raw, raw)
		}
	}()
	if err := f(); err != nil {
		return err
	}
	if o.erased() {
		return nil // f erased it
	}
	done = true
	capi.MlirRewriterBaseFinalizeOpModification(t, r.raw, raw)
	return nil
}

// ReplaceAllUses replaces all uses of from by uses of to.
func (r *Rewriter) ReplaceAllUses(from, to Value) {
	t := r.life.check("Rewriter.ReplaceAllUses")
	r.sameTop(from, to, "Rewriter.ReplaceAllUses")
	from.touchUsers()
	capi.MlirRewriterBaseReplaceAllUsesWith(t, r.raw, r.value(from, "Rewriter.ReplaceAllUses"),
		r.value(to, "Rewriter.ReplaceAllUses"))
}

// ReplaceAllUsesExcept replaces all uses of from by uses of to, except those by one
// operation.
func (r *Rewriter) ReplaceAllUsesExcept(from, to Value, except Operation) {
	t := r.life.check("Rewriter.ReplaceAllUsesExcept")
	r.sameTop(from, to, "Rewriter.ReplaceAllUsesExcept")
	from.touchUsers()
	capi.MlirRewriterBaseReplaceAllUsesExcept(t, r.raw, r.value(from, "Rewriter.ReplaceAllUsesExcept"),
		r.value(to, "Rewriter.ReplaceAllUsesExcept"), r.op(except, "Rewriter.ReplaceAllUsesExcept"))
}

// ReplaceUsesInBlock replaces the uses of an operation's results in a block by uses of
// other values, one for each result.
func (r *Rewriter) ReplaceUsesInBlock(o Operation, values []Value, b Block) {
	t := r.life.check("Rewriter.ReplaceUsesInBlock")
	op := r.op(o, "Rewriter.ReplaceUsesInBlock")
	raw := r.values(values, o.NumResults(), "Rewriter.ReplaceUsesInBlock")
	for _, v := range values {
		r.inTree(o, v, "Rewriter.ReplaceUsesInBlock")
	}
	o.touchUsers()
	capi.MlirRewriterBaseReplaceOpUsesWithinBlock(t, r.raw, op, len(raw), first(raw),
		r.blockOf(b, "Rewriter.ReplaceUsesInBlock"))
}

// sameTop panics if a value would replace one in another module.
func (r *Rewriter) sameTop(from, to Value, method string) {
	r.value(from, method)
	r.value(to, method)
	if capi.Top(r.c.api, capi.ValueKind, from.raw.Ptr) != capi.Top(r.c.api, capi.ValueKind, to.raw.Ptr) {
		panic("mlir: " + method + " was given values of two modules, or a detached one")
	}
}

// inTree is sameTop for a value that replaces a result of an operation.
func (r *Rewriter) inTree(o Operation, v Value, method string) {
	if !capi.Together(r.c.api, o.raw, v.raw) {
		panic("mlir: " + method + " was given a value that is not in the module of the operation")
	}
}
