package mlir

import (
	"errors"
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/internal/text/callers"
)

// A Builder creates operations at an insertion point and keeps the first error. The packages
// of the dialects, such as arith and scf, take one:
//
//	b := mlir.NewBuilder(block, mlir.Location{})
//	sum := arith.AddF(b, x, y)
//	function.Return(b, sum)
//	if err := b.Err(); err != nil { … }
//
// After an error a Builder creates nothing more. What its methods return then is of no use,
// but does not panic: values of type none, an operation that stands for any other.
//
// A Builder is an [InsertionPoint] itself. Like its context it must not be used
// concurrently.
type Builder struct {
	c    *Context
	at   InsertionPoint
	loc  Location
	kept *buildState
}

// buildState is what the builders that At returned share.
type buildState struct {
	err     error
	instead Operation // see Builder.standIn
	places  callers.Cache[Location]
	parts   any // of the operation that package ods makes
}

// NewBuilder returns a Builder that creates operations at ip, with the location loc. If
// loc is the zero Location, the location of an operation is the line of the Go code that
// creates it, so that errors of Verify and of passes name that line.
func NewBuilder(ip InsertionPoint, loc Location) *Builder {
	c := ContextOf(ip)
	return &Builder{c: c, at: ip, loc: loc, kept: &buildState{}}
}

// At returns a Builder that creates operations at another insertion point of the same
// context, and shares the error with b.
func (b *Builder) At(ip InsertionPoint) *Builder {
	other := *b
	if b.kept.err == nil {
		b.Try(func() {
			if ContextOf(ip) != b.c {
				panic("mlir: Builder.At was given an insertion point of another context")
			}
			other.at = ip
		})
	}
	return &other
}

// SetLocation sets the location of the operations to come. The zero Location stands for the
// line of the Go code, as in NewBuilder.
func (b *Builder) SetLocation(loc Location) { b.loc = loc }

// Context returns the context that the Builder works in.
func (b *Builder) Context() *Context { return b.c }

// Err returns the first error, a *[BuildError], or nil.
func (b *Builder) Err() error { return b.kept.err }

// Cause returns the cause of Err, without the line of the Go code, or nil: for a function that creates operations in
// the place of its caller.
func (b *Builder) Cause() error { return errors.Unwrap(b.kept.err) }

// Fail keeps an error, unless one is kept already or err is nil.
func (b *Builder) Fail(err error) {
	if err != nil && b.kept.err == nil {
		file, line := caller()
		b.kept.err = &BuildError{File: file, Line: line, Err: err}
	}
}

// A BuildError is the first mistake of a [Builder], with the line of the Go code that made it.
type BuildError struct {
	File string
	Line int
	Err  error
}

func (e *BuildError) Error() string {
	text := strings.TrimPrefix(e.Err.Error(), "mlir: ")
	if d, ok := e.Err.(*DiagnosticError); ok { // its text has the location again
		if messages := d.Messages(); messages != "" {
			text = d.Op + ": " + messages
		}
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, text)
}

// Unwrap returns the cause, for example a *[DiagnosticError].
func (e *BuildError) Unwrap() error { return e.Err }

// Create creates an operation at the insertion point. The zero Location in s stands for the
// Builder's. If the operation cannot be created, Create keeps the error.
func (b *Builder) Create(s OperationState) Operation { return b.build(&s) }

func (b *Builder) build(s *OperationState) Operation {
	op, err := b.create(s)
	if err != nil {
		b.Fail(err)
		return b.standIn()
	}
	return op
}

// errEarlier is the error of a creation after another one failed.
var errEarlier = errors.New("mlir: the Builder has an error from earlier: see Builder.Err")

func (b *Builder) create(s *OperationState) (op Operation, err error) {
	if b.kept.err != nil {
		return Operation{}, errEarlier
	}
	defer invalidArgument(&err)
	if s.Location.IsNil() {
		if s.Location = b.loc; s.Location.IsNil() {
			s.Location = b.kept.here(b.c)
		}
	}
	if in, ok := b.at.(Block); ok {
		return in.create(s)
	}
	return Create(b.at, *s)
}

// Try calls f. If a function of this package panics in it because of an invalid argument, Try
// keeps that as the builder's error.
func (b *Builder) Try(f func()) {
	var err error
	defer func() { b.Fail(err) }()
	defer invalidArgument(&err)
	f()
}

// invalidArgument turns a panic of this package about an invalid argument into an error.
func invalidArgument(err *error) {
	switch r := recover().(type) {
	case nil:
	case string:
		if !strings.HasPrefix(r, "mlir: ") {
			panic(r)
		}
		*err = errors.New(r)
	default:
		panic(r)
	}
}

// maxResults is the number of results of the operation that stands for others.
const maxResults = 64

// standIn returns a detached operation that is returned in the place of those that were not
// created. Its results have the type none.
func (b *Builder) standIn() Operation {
	if b.kept.instead.IsNil() || b.kept.instead.erased() {
		types := make([]Type, maxResults)
		for i := range types {
			types[i] = b.c.NoneType()
		}
		op, err := Create(b.c, OperationState{Name: "builtin.unrealized_conversion_cast", Results: types})
		if err != nil {
			panic("mlir: " + err.Error()) // no library lacks the dialect builtin
		}
		b.kept.instead = op
	}
	return b.kept.instead
}

// Type parses a type. If it cannot, it keeps the error and returns the type none.
func (b *Builder) Type(text string) Type {
	if b.kept.err == nil {
		t, err := b.c.ParseType(text)
		if err == nil {
			return t
		}
		b.Fail(err)
	}
	return b.c.NoneType()
}

// Attribute parses an attribute. If it cannot, it keeps the error and returns the unit
// attribute.
func (b *Builder) Attribute(text string) Attribute {
	if b.kept.err == nil {
		a, err := b.c.ParseAttribute(text)
		if err == nil {
			return a
		}
		b.Fail(err)
	}
	return b.c.UnitAttribute()
}

// CheckedType returns t if err is nil. Otherwise it keeps err and returns the type none. It takes what a function
// that makes a type returns:
//
//	matrix := b.CheckedType(c.TensorType(f32, 2, 3))
func (b *Builder) CheckedType(t Type, err error) Type {
	if b.Fail(err); err != nil {
		return b.c.NoneType()
	}
	return t
}

// CheckedAttribute returns a if err is nil. Otherwise it keeps err and returns the unit attribute. It takes what a
// function that makes an attribute returns:
//
//	ones := b.CheckedAttribute(mlir.NewDenseSplat(matrix, float32(1)))
func (b *Builder) CheckedAttribute(a Attribute, err error) Attribute {
	if b.Fail(err); err != nil {
		return b.c.UnitAttribute()
	}
	return a
}

// Region returns a new region of one block with arguments of the given types, and calls body
// with them. While body runs, b creates operations at the end of that block. Region does not
// call body if b has an error.
func (b *Builder) Region(body func(arguments []Value), arguments ...Type) Region {
	region := b.c.NewRegion()
	if b.kept.err != nil {
		return region
	}
	b.Try(func() {
		block := b.c.NewBlock(b.location(), arguments...)
		region.Append(block)
		if body == nil {
			panic("mlir: Builder.Region was given no function that builds the block")
		}
		values := make([]Value, len(arguments))
		for i := range values {
			values[i] = block.Argument(i)
		}
		b.in(block, func() { body(values) })
	})
	return region
}

// Module creates a builtin.module within a module, and calls body to build what is in it. The symbols in it are in a
// symbol table of their own. An empty name is none.
func (b *Builder) Module(name string, body func()) Operation {
	var inner func([]Value)
	if body != nil {
		inner = func([]Value) { body() }
	}
	s := OperationState{Name: "builtin.module", Regions: []Region{b.Region(inner)}}
	if name != "" {
		s.Attributes = []NamedAttribute{{Name: symbolName, Value: b.c.StringAttribute(name)}}
	}
	return b.Create(s)
}

// Block returns a new block with arguments of the given types, at the end of the region that b
// creates operations in. Branches take it, and In builds it.
func (b *Builder) Block(arguments ...Type) (block Block) {
	if b.kept.err == nil {
		b.Try(func() {
			region := b.region(b.at)
			block = b.c.NewBlock(b.location(), arguments...)
			region.Append(block)
		})
	}
	if b.kept.err != nil { // a detached one stands for it
		types := make([]Type, len(arguments))
		for i := range types {
			types[i] = b.c.NoneType()
		}
		return b.c.NewBlock(Location{}, types...)
	}
	return block
}

// region returns the region of an insertion point.
func (b *Builder) region(at InsertionPoint) (region Region) {
	switch at := at.(type) {
	case Block:
		region = at.Region()
	case point:
		region = at.block.Region()
	case *Builder:
		return b.region(at.at)
	}
	if region.IsNil() {
		panic("mlir: Builder.Block needs a Builder that creates operations in a block of a region")
	}
	return region
}

// In calls f. While f runs, b creates operations at ip.
func (b *Builder) In(ip InsertionPoint, f func()) { b.in(ip, f) }

func (b *Builder) in(ip InsertionPoint, f func()) {
	before := b.at
	defer func() { b.at = before }()
	b.at = ip
	f()
}

// location returns the location of the next operation.
func (b *Builder) location() Location {
	if b.loc.IsNil() {
		return b.kept.here(b.c)
	}
	return b.loc
}

func (b *Builder) context(method string) *Context { return b.at.context(method) }
