package mlir

// Place is where a new operation goes: a *Context leaves it detached, a Block has it
// at its end. Nothing else is one.
type Place interface {
	context() *Context
}

func (c *Context) context() *Context {
	c.life.check("Context.Create")
	return c.life.ctx
}

func (b Block) context() *Context {
	b.life.use("Block.Create", b.raw.Ptr)
	return b.life.ctx
}

// Create makes an operation at a place.
func Create(at Place, s OperationState) (Operation, error) {
	// By cases and not through the interface, and with the context as its lifetime knows
	// it: so a Block in the interface, and what s holds, can stay on the caller's stack.
	switch at := at.(type) {
	case Block:
		return at.create(&s)
	case *Context:
		t := at.life.check("Context.Create")
		return at.life.ctx.create(t, "Context.Create", Block{}, &s)
	}
	panic("mlir: Create was given no place: use a *Context or a Block")
}

// ContextOf is the context of a place.
func ContextOf(at Place) *Context {
	switch at := at.(type) {
	case Block:
		return at.context()
	case *Context:
		return at.context()
	}
	panic("mlir: ContextOf was given no place: use a *Context or a Block")
}
