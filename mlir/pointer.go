package mlir

import (
	"fmt"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A program that also has C code on the same library can pass objects in both directions, as
// the pointers that the structs of the MLIR C API hold: the field ptr of an MlirOperation, for
// example. Pointers do not transfer ownership, with one exception: something detached that
// C code made belongs to the Context once it was passed to a function below.
//
// C code must not destroy, or change, what Go code has handles to without their end: Close the
// module first, or call Module.Invalidate afterwards.

// Pointer returns the ptr of the MlirContext. It is valid until Close.
func (c *Context) Pointer() unsafe.Pointer {
	c.life.check("Context.Pointer")
	return c.raw.Ptr
}

// ContextFromPointer returns a Context for an MlirContext of this library that C code created.
// Close releases what the Context has, and leaves the MlirContext to the C code. Calls are
// safe under the rules of C: this package does not detect two goroutines that use the
// MlirContext at the same time.
func (l *Library) ContextFromPointer(p unsafe.Pointer) *Context {
	if p == nil {
		panic("mlir: Library.ContextFromPointer was given a nil pointer")
	}
	if l == nil || l.api == nil {
		panic("mlir: Library.ContextFromPointer called on no library: get one from Open, and look at its error")
	}
	c := l.newContext(capi.MlirContext{Ptr: p}, ContextOptions{Threads: true})
	c.borrowed = true
	return c
}

// Pointer returns the ptr of the MlirModule, which the Module still owns.
func (m *Module) Pointer() unsafe.Pointer {
	m.given("Module.Pointer")
	m.life.check("Module.Pointer")
	m.shown = true
	return m.raw.Ptr
}

// ModuleFromPointer returns a Module for an MlirModule of this context. If C code owns it, Close
// ends the handles to what is in it and does not destroy it: call Close before the C code does.
// For a Module of this package it returns that Module.
func (c *Context) ModuleFromPointer(p unsafe.Pointer) *Module {
	const method = "Context.ModuleFromPointer"
	t := c.life.check(method)
	if p == nil {
		panic("mlir: " + method + " was given a nil pointer")
	}
	if known, ok := c.tops[p]; ok {
		if known.module == nil {
			panic("mlir: " + method + " was given a detached operation: use Context.Adopt")
		}
		if m := known.module.handle.Value(); m != nil {
			return m
		}
		return c.moduleOf(known, known.module)
	}
	raw := capi.MlirModule{Ptr: p}
	c.same(capi.MlirModuleGetContext(t, raw), method)
	if capi.MlirOperationGetBlock(t, capi.MlirModuleGetOperation(t, raw)).Ptr != nil {
		panic("mlir: " + method + " was given a module that is in another operation: use OperationFromPointer")
	}
	m := c.module(raw)
	m.shown = true
	c.tops[p].borrowed = true
	return m
}

// BlockFromPointer returns the Block for an MlirBlock of this module, and false if the block is not in
// the module. Unlike Context.BlockFromPointer it takes over nothing.
func (m *Module) BlockFromPointer(p unsafe.Pointer) (Block, bool) {
	if !m.holds(capi.BlockKind, p, "Module.BlockFromPointer") {
		return Block{}, false
	}
	return m.ctx.block(capi.MlirBlock{Ptr: p}), true
}

// ValueFromPointer returns the Value for an MlirValue of this module, and false if the value is not in
// the module. Unlike Context.ValueFromPointer it takes over nothing.
func (m *Module) ValueFromPointer(p unsafe.Pointer) (Value, bool) {
	if !m.holds(capi.ValueKind, p, "Module.ValueFromPointer") {
		return Value{}, false
	}
	return m.ctx.value(capi.MlirValue{Ptr: p}), true
}

// holds reports whether an object is in the module.
func (m *Module) holds(kind capi.Kind, p pointer, method string) bool {
	m.given(method)
	m.life.check(method)
	m.shown = true
	return p != nil && capi.Top(m.ctx.api, kind, p) == m.raw.Ptr
}

// Pointer returns the ptr of the MlirPassManager, which the PassManager still owns. C code may
// add passes to it before the first run.
func (p *PassManager) Pointer() unsafe.Pointer {
	p.life.check("PassManager.Pointer")
	return p.raw.Ptr
}

// Pointer returns the ptr of the MlirOperation.
func (o Operation) Pointer() unsafe.Pointer {
	o.life.use("Operation.Pointer", o.raw.Ptr)
	return o.raw.Ptr
}

// OperationFromPointer returns the Operation for an MlirOperation of this context. If it is in a
// module that C code owns, call ModuleFromPointer first.
func (c *Context) OperationFromPointer(p unsafe.Pointer) Operation {
	const method = "Context.OperationFromPointer"
	t := c.life.check(method)
	if p == nil {
		return Operation{}
	}
	raw := capi.MlirOperation{Ptr: p}
	c.same(capi.MlirOperationGetContext(t, raw), method)
	c.known(capi.OperationKind, p, method)
	return c.operation(raw)
}

// Pointer returns the ptr of the MlirBlock.
func (b Block) Pointer() unsafe.Pointer {
	b.life.use("Block.Pointer", b.raw.Ptr)
	return b.raw.Ptr
}

// BlockFromPointer returns the Block for an MlirBlock of this context. If it is in a module that
// C code owns, call ModuleFromPointer first.
func (c *Context) BlockFromPointer(p unsafe.Pointer) Block {
	const method = "Context.BlockFromPointer"
	c.life.check(method)
	if p == nil {
		return Block{}
	}
	c.known(capi.BlockKind, p, method)
	return c.block(capi.MlirBlock{Ptr: p})
}

// Pointer returns the ptr of the MlirRegion.
func (r Region) Pointer() unsafe.Pointer {
	r.life.use("Region.Pointer", r.raw.Ptr)
	return r.raw.Ptr
}

// RegionFromPointer returns the Region for an MlirRegion of this context. If it is in a module
// that C code owns, call ModuleFromPointer first.
func (c *Context) RegionFromPointer(p unsafe.Pointer) Region {
	const method = "Context.RegionFromPointer"
	c.life.check(method)
	if p == nil {
		return Region{}
	}
	c.known(capi.RegionKind, p, method)
	return c.region(capi.MlirRegion{Ptr: p})
}

// Pointer returns the ptr of the MlirValue.
func (v Value) Pointer() unsafe.Pointer {
	v.life.use("Value.Pointer", v.raw.Ptr)
	return v.raw.Ptr
}

// ValueFromPointer returns the Value for an MlirValue of this context. If it is in a module that
// C code owns, call ModuleFromPointer first.
func (c *Context) ValueFromPointer(p unsafe.Pointer) Value {
	const method = "Context.ValueFromPointer"
	t := c.life.check(method)
	if p == nil {
		return Value{}
	}
	raw := capi.MlirValue{Ptr: p}
	c.same(capi.MlirTypeGetContext(t, capi.MlirValueGetType(t, raw)), method)
	c.known(capi.ValueKind, p, method)
	return c.value(raw)
}

// Pointer returns the ptr of the MlirType, which belongs to the context.
func (t Type) Pointer() unsafe.Pointer {
	t.check("Type.Pointer")
	return t.raw.Ptr
}

// TypeFromPointer returns the Type for an MlirType of this context.
func (c *Context) TypeFromPointer(p unsafe.Pointer) Type {
	t := c.life.check("Context.TypeFromPointer")
	if p == nil {
		return Type{}
	}
	raw := capi.MlirType{Ptr: p}
	c.same(capi.MlirTypeGetContext(t, raw), "Context.TypeFromPointer")
	return c.typ(raw)
}

// Pointer returns the ptr of the MlirAttribute, which belongs to the context.
func (a Attribute) Pointer() unsafe.Pointer {
	a.check("Attribute.Pointer")
	return a.raw.Ptr
}

// AttributeFromPointer returns the Attribute for an MlirAttribute of this context.
func (c *Context) AttributeFromPointer(p unsafe.Pointer) Attribute {
	t := c.life.check("Context.AttributeFromPointer")
	if p == nil {
		return Attribute{}
	}
	raw := capi.MlirAttribute{Ptr: p}
	c.same(capi.MlirAttributeGetContext(t, raw), "Context.AttributeFromPointer")
	return c.attribute(raw)
}

// Pointer returns the ptr of the MlirLocation, which belongs to the context.
func (l Location) Pointer() unsafe.Pointer {
	l.life.own("Location.Pointer", l.raw.Ptr, "location")
	return l.raw.Ptr
}

// LocationFromPointer returns the Location for an MlirLocation of this context.
func (c *Context) LocationFromPointer(p unsafe.Pointer) Location {
	t := c.life.check("Context.LocationFromPointer")
	if p == nil {
		return Location{}
	}
	raw := capi.MlirLocation{Ptr: p}
	c.same(capi.MlirLocationGetContext(t, raw), "Context.LocationFromPointer")
	return c.location(raw)
}

// same panics if an object is of another context.
func (c *Context) same(of capi.MlirContext, method string) {
	if of != c.raw {
		panic("mlir: " + method + " was given an object of another context")
	}
}

// known notes the outermost object that contains an object, if C code made it. It panics if
// that is a module of C code which was not passed to ModuleFromPointer.
func (c *Context) known(kind capi.Kind, p pointer, method string) {
	outer := capi.Top(c.api, kind, p)
	if _, ok := c.tops[outer]; ok {
		return
	}
	kind = c.kindOf(kind, p, outer)
	if kind == capi.OperationKind {
		op := capi.MlirOperation{Ptr: outer}
		if capi.MlirIdentifierStr(c.api, capi.MlirOperationGetName(c.api, op)) == "builtin.module" {
			panic(fmt.Sprintf("mlir: %s was given an object of a module that belongs to C code: call ModuleFromPointer for the module first", method))
		}
	}
	c.newTop(kind, outer)
}

// kindOf returns the kind of the outermost object that contains an object.
func (c *Context) kindOf(kind capi.Kind, p, outer pointer) capi.Kind {
	t := c.api
	for p != outer {
		switch kind {
		case capi.ValueKind:
			v := capi.MlirValue{Ptr: p}
			if kind = capi.OperationKind; capi.MlirValueIsABlockArgument(t, v) {
				kind, p = capi.BlockKind, capi.MlirBlockArgumentGetOwner(t, v).Ptr
			} else {
				p = capi.MlirOpResultGetOwner(t, v).Ptr
			}
		case capi.OperationKind:
			kind, p = capi.BlockKind, capi.MlirOperationGetBlock(t, capi.MlirOperation{Ptr: p}).Ptr
		case capi.BlockKind:
			b := capi.MlirBlock{Ptr: p}
			kind, p = capi.OperationKind, capi.MlirBlockGetParentOperation(t, b).Ptr
			if p == nil {
				return capi.RegionKind
			}
		case capi.RegionKind: // one of an operation: see capi.Top
			return capi.OperationKind
		}
	}
	return kind
}
