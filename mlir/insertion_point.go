package mlir

import "github.com/calliope-mlir/calliope/experimental/capi"

// An InsertionPoint is where a new operation is inserted:
//
//   - a *Context leaves the operation detached
//   - a Block, or AtEnd of it, is the end of that block
//   - AtStart, Before, After and AfterValue return positions in a block
//   - a *Rewriter or *ConversionRewriter is the insertion point of the rewriter
//   - a *Builder is the insertion point of the builder, without its location and error
//
// Other packages cannot implement it.
type InsertionPoint interface {
	context(method string) *Context
}

// AtEnd returns the end of a block.
func AtEnd(b Block) InsertionPoint { return b }

// AtStart returns the position before the first operation of a block. Operations created
// there follow each other in the order of their creation.
func AtStart(b Block) InsertionPoint { return point{block: b, before: b.First()} }

// Before returns the position before an operation, which must be in a block.
func Before(o Operation) InsertionPoint {
	return point{block: o.inBlock("Before"), before: o}
}

// After returns the position after an operation, which must be in a block. Operations
// created there follow each other in the order of their creation.
func After(o Operation) InsertionPoint {
	return point{block: o.inBlock("After"), before: o.Next()}
}

// AfterValue returns the first position where a value can be used: after the operation
// that defines it, or at the start of the block that it is an argument of.
func AfterValue(v Value) InsertionPoint {
	if owner := v.Owner(); !owner.IsNil() {
		return After(owner)
	}
	return AtStart(v.Block())
}

// inBlock returns the operation's block. It panics if the operation is detached.
func (o Operation) inBlock(method string) Block {
	if o.life == nil {
		panic("mlir: " + method + " was given an operation that is nil")
	}
	c := o.life.ctx
	b := c.block(capi.MlirOperationGetBlock(c.api, o.in(c, method)))
	if b.IsNil() {
		panic("mlir: " + method + " was given an operation that is not in a block: insert the operation first")
	}
	return b
}

// point is a position in a block: before an operation, or at the end if before is nil. Without a block it is none.
type point struct {
	block  Block
	before Operation
}

// moved reports whether the block or operation was erased, or the operation is no longer
// in the block.
func (p point) moved() bool {
	switch {
	case p.block.gone():
		return true
	case p.before.IsNil():
		return false
	}
	return p.before.erased() || capi.MlirOperationGetBlock(p.block.life.ctx.api, p.before.raw) != p.block.raw
}

func (c *Context) context(method string) *Context {
	c.life.check(method)
	return c.life.ctx
}

// context does not check that the block was not erased, because the call that uses the block
// next says more about that.
func (b Block) context(method string) *Context {
	if b.life == nil {
		panic("mlir: " + method + " was given a block that is nil")
	}
	b.life.ctx.life.check(method)
	return b.life.ctx
}

// given panics if the block, an argument of a function, was erased.
func (b Block) given(method string) {
	if b.life == nil {
		panic("mlir: " + method + " was given a block that is nil")
	}
	b.life.pass(b.life.ctx, b.raw.Ptr, "a block", method)
}

func (p point) context(method string) *Context { return p.block.context(method) }

func (r *Rewriter) context(method string) *Context {
	r.life.check(method)
	return r.c
}

func (r *ConversionRewriter) context(method string) *Context { return r.rewriter.context(method) }

// insert inserts a detached operation, unless p has no block.
func (p point) insert(o Operation) {
	switch {
	case p.block.IsNil():
	case p.before.IsNil():
		p.block.Append(o)
	default:
		p.block.InsertBefore(p.before, o)
	}
}

const insertionPoints = "use a *Context, a Block, a *Rewriter, a *ConversionRewriter, a *Builder, Before or After"

// ContextOf returns the context of an insertion point, also if that is in a block that was erased.
func ContextOf(ip InsertionPoint) *Context {
	// A type switch, as in Create.
	switch ip := ip.(type) {
	case Block:
		return ip.context("ContextOf")
	case *Context:
		return ip.context("ContextOf")
	case point:
		return ip.context("ContextOf")
	case *Rewriter:
		return ip.context("ContextOf")
	case *ConversionRewriter:
		return ip.context("ContextOf")
	case *Builder:
		return ip.context("ContextOf")
	}
	panic("mlir: ContextOf was given an invalid insertion point: " + insertionPoints)
}
