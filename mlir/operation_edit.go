package mlir

import (
	"fmt"
	"iter"
	"math"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// Next returns the operation after this one in its block. It returns the nil Operation if
// this is the last one or is detached.
func (o Operation) Next() Operation {
	t := o.life.use("Operation.Next", o.raw.Ptr)
	if capi.MlirOperationGetBlock(t, o.raw).Ptr == nil {
		return Operation{}
	}
	return o.life.ctx.operation(capi.MlirOperationGetNextInBlock(t, o.raw))
}

// IsBefore reports whether the operation is before other in their block. It panics if they
// are not in the same block.
func (o Operation) IsBefore(other Operation) bool {
	t := o.life.use("Operation.IsBefore", o.raw.Ptr)
	other.in(o.life.ctx, "Operation.IsBefore")
	block := capi.MlirOperationGetBlock(t, o.raw)
	if block.Ptr == nil || block != capi.MlirOperationGetBlock(t, other.raw) {
		panic("mlir: Operation.IsBefore: the two operations are not in the same block")
	}
	if t.Has("mlirOperationIsBeforeInBlock") {
		return capi.MlirOperationIsBeforeInBlock(t, o.raw, other.raw)
	}
	for at := o.Next(); !at.IsNil(); at = at.Next() {
		if at.raw == other.raw {
			return true
		}
	}
	return false
}

// IsRegistered reports whether the library knows the operation's name.
func (o Operation) IsRegistered() bool { return o.Context().Registered(o.Name()) }

// Hash returns a hash of the operation's identity, not of its contents. It may differ from
// one run of the program to the next.
func (o Operation) Hash() uint64 {
	o.life.use("Operation.Hash", o.raw.Ptr)
	// The library's function returns a hash of the address, too, and not every library has
	// it. Operations are aligned, so the low bits are constant.
	return (uint64(uintptr(o.raw.Ptr)) >> 4) * 0x9e3779b97f4a7c15
}

// SetLocation sets the source location of the operation. It returns an UnsupportedError if
// the library is too old.
func (o Operation) SetLocation(l Location) error {
	t := o.life.use("Operation.SetLocation", o.raw.Ptr)
	if err := o.life.ctx.lib.need("mlirOperationSetLocation"); err != nil {
		return err
	}
	capi.MlirOperationSetLocation(t, o.raw, l.in(o.life.ctx, "Operation.SetLocation"))
	return nil
}

// SetOperands replaces all operands. If the operation has several groups of operands, the
// attribute with their sizes must be set, too.
func (o Operation) SetOperands(values ...Value) {
	t := o.life.use("Operation.SetOperands", o.raw.Ptr)
	raw := make([]capi.MlirValue, len(values))
	for i, v := range values {
		raw[i] = v.in(o.life.ctx, "Operation.SetOperands")
		o.life.ctx.sameTop(o, v, "Operation.SetOperands")
	}
	o.touch()
	capi.MlirOperationSetOperands(t, o.raw, len(raw), first(raw))
}

// ReplaceUsesOf replaces a value by another one in the operation's own operands. It does
// not change the operations in its regions.
func (o Operation) ReplaceUsesOf(of, with Value) {
	o.life.use("Operation.ReplaceUsesOf", o.raw.Ptr)
	of.in(o.life.ctx, "Operation.ReplaceUsesOf")
	for i, v := range o.Operands() {
		if v.raw == of.raw {
			o.SetOperand(i, with)
		}
	}
}

// NumSuccessors returns the number of blocks that the operation may branch to.
func (o Operation) NumSuccessors() int {
	return capi.MlirOperationGetNumSuccessors(o.life.use("Operation.NumSuccessors", o.raw.Ptr), o.raw)
}

// Successor returns the i-th block that the operation may branch to. It panics if i is out
// of range.
func (o Operation) Successor(i int) Block {
	t := o.life.use("Operation.Successor", o.raw.Ptr)
	inRange("Operation.Successor", i, capi.MlirOperationGetNumSuccessors(t, o.raw))
	return o.life.ctx.block(capi.MlirOperationGetSuccessor(t, o.raw, i))
}

// SetSuccessor sets the i-th successor to another block of the same region. It panics if i
// is out of range.
func (o Operation) SetSuccessor(i int, b Block) {
	t := o.life.use("Operation.SetSuccessor", o.raw.Ptr)
	inRange("Operation.SetSuccessor", i, capi.MlirOperationGetNumSuccessors(t, o.raw))
	raw := b.in(o.life.ctx, "Operation.SetSuccessor")
	if own := o.Block(); !own.IsNil() &&
		capi.MlirBlockGetParentRegion(t, own.raw) != capi.MlirBlockGetParentRegion(t, raw) {
		panic("mlir: Operation.SetSuccessor was given a block of another region")
	}
	if in := o.life.ctx.topOf(capi.OperationKind, o.raw.Ptr); in != nil && in.module == nil {
		o.life.ctx.setUses(in, elsewhere) // checked when it is added
	}
	o.touch()
	capi.MlirOperationSetSuccessor(t, o.raw, i, raw)
}

// Successors returns an iterator over the blocks that the operation may branch to, and
// their indices.
func (o Operation) Successors() iter.Seq2[int, Block] {
	return indexed(o.NumSuccessors(), o.Successor)
}

// Detach removes the operation from its block and returns it. The detached operation is
// freed by Erase or with the context. Its results keep their uses. Detach returns an
// operation that is already detached as it is. It panics if o is the operation of a Module,
// or if an operation outside branches into it.
func (o Operation) Detach() Operation {
	t := o.life.use("Operation.Detach", o.raw.Ptr)
	c := o.life.ctx
	if own, ok := c.tops[o.raw.Ptr]; ok {
		if own.module != nil {
			panic("mlir: Operation.Detach was called on the operation of a Module, which owns it")
		}
		return o
	}
	c.calls.mayTake(c, nil, capi.OperationKind, o.raw.Ptr, "Operation.Detach")
	if err := o.branchedInto(); err != nil {
		panic(fmt.Sprintf("mlir: Operation.Detach: %v", err))
	}
	out := c.topOf(capi.OperationKind, o.raw.Ptr)
	capi.MlirOperationRemoveFromParent(t, o.raw)
	c.detached(capi.OperationKind, o.raw.Ptr, out)
	return o
}

// MoveBefore moves the operation before another one, which may be in another block.
func (o Operation) MoveBefore(anchor Operation) {
	o.move("Operation.MoveBefore", anchor, capi.MlirOperationMoveBefore, Block.InsertBefore)
}

// MoveAfter moves the operation after another one, which may be in another block.
func (o Operation) MoveAfter(anchor Operation) {
	o.move("Operation.MoveAfter", anchor, capi.MlirOperationMoveAfter, Block.InsertAfter)
}

func (o Operation) move(
	method string, anchor Operation, within func(*capi.Table, capi.MlirOperation, capi.MlirOperation),
	insert func(b Block, anchor, o Operation) Operation,
) {
	t := o.life.use(method, o.raw.Ptr)
	c := o.life.ctx
	anchor.in(c, method)
	if o.raw == anchor.raw {
		return
	}
	to := capi.MlirOperationGetBlock(t, anchor.raw)
	if to.Ptr == nil {
		panic("mlir: " + method + " was given a detached operation as the anchor")
	}
	for p := anchor.Parent(); !p.IsNil(); p = p.Parent() {
		if p.raw == o.raw {
			panic("mlir: " + method + " was asked to put an operation into itself")
		}
	}
	if capi.Top(t, capi.OperationKind, o.raw.Ptr) == capi.Top(t, capi.BlockKind, to.Ptr) {
		c.calls.mayMove(c, capi.OperationKind, o.raw.Ptr, method)
		o.touchMove()
		within(t, o.raw, anchor.raw)
		return
	}
	insert(c.block(to), anchor, o.Detach())
}

// Clone returns a detached copy of the operation and everything in it. The copy has the
// same operands.
func (o Operation) Clone() Operation {
	t := o.life.use("Operation.Clone", o.raw.Ptr)
	c := o.life.ctx
	raw := capi.MlirOperationClone(t, o.raw)
	// its operands may be anywhere: they are checked when it is added
	c.setUses(c.newTop(capi.OperationKind, raw.Ptr), elsewhere)
	return c.operation(raw)
}

// CloneWithoutRegions returns a detached copy of the operation with as many regions as it
// has, which are empty. The copy has the same operands.
func (o Operation) CloneWithoutRegions() Operation {
	t := o.life.use("Operation.CloneWithoutRegions", o.raw.Ptr)
	copied := o.Clone()
	n := capi.MlirOperationGetNumRegions(t, copied.raw)
	if n == 0 {
		return copied
	}
	// The copied contents are moved to another operation, which is destroyed: see destroy.
	c := o.life.ctx
	contents := &capi.OperationState{Name: carrier}
	for range n {
		contents.Regions = append(contents.Regions, capi.MlirRegionCreate(t))
	}
	op := capi.CreateOperation(
		t, contents, capi.MlirLocationUnknownGet(t, c.raw), capi.MlirBlock{}, capi.MlirOperation{}, false).Operation
	moveBodies(t, copied.raw, op)
	destroy(c.api, capi.OperationKind, op.Ptr)
	return copied
}

// Erase removes the operation and destroys it with everything in it. Using a handle to any
// of that panics from then on. If a result, or a value in it, is used outside, Erase
// destroys nothing and returns an error that names a use. It panics if o is the operation
// of a Module: close the module instead.
func (o Operation) Erase() error {
	o.life.use("Operation.Erase", o.raw.Ptr)
	c := o.life.ctx
	c.calls.mayTake(c, nil, capi.OperationKind, o.raw.Ptr, "Operation.Erase")
	own, detached := c.tops[o.raw.Ptr]
	if detached && own.module != nil {
		panic("mlir: Operation.Erase was called on the operation of a Module: close the module")
	}
	if err := c.unused(capi.OperationKind, o.raw.Ptr, o.Name()); err != nil {
		return err
	}
	if detached {
		c.end(own, "after Operation.Erase")
		return nil
	}
	if err := o.branchedInto(); err != nil {
		return fmt.Errorf("mlir: %s cannot be erased: %w", o.Name(), err)
	}
	c.erase(capi.OperationKind, o.raw.Ptr, "Operation.Erase")
	return nil
}

// branchedInto returns an error if an operation outside branches to a block in a region of
// the operation.
func (o Operation) branchedInto() error {
	c := o.life.ctx
	if capi.MlirOperationGetNumRegions(c.api, o.raw) == 0 {
		return nil
	}
	branch := c.branch(capi.OperationKind, o.raw.Ptr)
	if branch.IsNil() {
		return nil
	}
	return fmt.Errorf("%s at %s, outside of it, branches into it", branch.Name(), branch.Location().Position())
}

// ParseOperation reads one operation, which is detached, from text or bytecode. name names
// the source in diagnostics and may be empty. If the operation cannot be parsed or is not
// valid, the error is a *DiagnosticError.
func (c *Context) ParseOperation(name string, data []byte) (Operation, error) {
	t := c.life.check("Context.ParseOperation")
	if len(data) > math.MaxInt32 {
		return Operation{}, fmt.Errorf("mlir: an operation of %d bytes of text is too large to be parsed", len(data))
	}
	if err := c.parseGuard(name, data); err != nil {
		return Operation{}, err
	}
	if name == "" {
		name = unnamed
	}
	source := terminated(data)
	var raw capi.MlirOperation
	parse := func() pointer {
		raw = capi.MlirOperationCreateParse(t, c.raw, source[:len(data)], name)
		return raw.Ptr
	}
	if err := c.parse(data, source, parse); err != nil {
		return Operation{}, err
	}
	diagnostics := c.takeDiagnostics("")
	if raw.Ptr == nil {
		return Operation{}, &DiagnosticError{Op: "parse", Diagnostics: diagnostics}
	}
	c.newTop(capi.OperationKind, raw.Ptr)
	return c.operation(raw), nil
}
