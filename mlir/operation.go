package mlir

import (
	"fmt"
	"iter"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Operation is one operation, in a block or detached.
type Operation struct {
	life *lifetime
	raw  capi.MlirOperation
}

// Equal reports whether both are the same one.
func (o Operation) Equal(other Operation) bool { return o.raw == other.raw }

// IsNil reports whether o is the zero Operation.
func (o Operation) IsNil() bool { return o.raw.Ptr == nil }

// Name is the full name, for example "stablehlo.add".
func (o Operation) Name() string {
	t := o.life.check("Operation.Name")
	return o.life.ctx.text(capi.MlirOperationGetName(t, o.raw))
}

// Context is the context that the operation belongs to.
func (o Operation) Context() *Context {
	o.life.check("Operation.Context")
	return o.life.ctx
}

// Location is where the operation comes from.
func (o Operation) Location() Location {
	t := o.life.check("Operation.Location")
	return o.life.ctx.location(capi.MlirOperationGetLocation(t, o.raw))
}

// Block is the block that the operation stands in, nil for a detached one and for a
// top-level module.
func (o Operation) Block() Block {
	t := o.life.check("Operation.Block")
	return Block{o.life, capi.MlirOperationGetBlock(t, o.raw)}
}

// Parent is the operation whose region this one stands in, nil where there is none.
func (o Operation) Parent() Operation {
	t := o.life.check("Operation.Parent")
	if capi.MlirOperationGetBlock(t, o.raw).Ptr == nil {
		return Operation{}
	}
	return Operation{o.life, capi.MlirOperationGetParentOperation(t, o.raw)}
}

// NumOperands is the number of operands.
func (o Operation) NumOperands() int {
	return capi.MlirOperationGetNumOperands(o.life.check("Operation.NumOperands"), o.raw)
}

// Operand is the i-th operand. It panics where there is none.
func (o Operation) Operand(i int) Value {
	t := o.life.check("Operation.Operand")
	inRange("Operation.Operand", i, capi.MlirOperationGetNumOperands(t, o.raw))
	return Value{o.life, capi.MlirOperationGetOperand(t, o.raw, i)}
}

// SetOperand replaces the i-th operand. It panics where there is none.
func (o Operation) SetOperand(i int, v Value) {
	t := o.life.check("Operation.SetOperand")
	inRange("Operation.SetOperand", i, capi.MlirOperationGetNumOperands(t, o.raw))
	capi.MlirOperationSetOperand(t, o.raw, i, v.in(o.life.ctx, "Operation.SetOperand"))
}

// Operands iterates over the operands.
func (o Operation) Operands() iter.Seq2[int, Value] {
	return indexed(o.NumOperands(), o.Operand)
}

// NumResults is the number of results.
func (o Operation) NumResults() int {
	return capi.MlirOperationGetNumResults(o.life.check("Operation.NumResults"), o.raw)
}

// Result is the i-th result. It panics where there is none.
func (o Operation) Result(i int) Value {
	t := o.life.check("Operation.Result")
	v := capi.ResultAt(t, o.raw, i)
	if v.Ptr == nil {
		inRange("Operation.Result", i, capi.MlirOperationGetNumResults(t, o.raw))
	}
	return Value{o.life, v}
}

// Results iterates over the results.
func (o Operation) Results() iter.Seq2[int, Value] {
	return indexed(o.NumResults(), o.Result)
}

// NumRegions is the number of regions.
func (o Operation) NumRegions() int {
	return capi.MlirOperationGetNumRegions(o.life.check("Operation.NumRegions"), o.raw)
}

// Region is the i-th region. It panics where there is none.
func (o Operation) Region(i int) Region {
	t := o.life.check("Operation.Region")
	inRange("Operation.Region", i, capi.MlirOperationGetNumRegions(t, o.raw))
	return Region{o.life, capi.MlirOperationGetRegion(t, o.raw, i)}
}

// Regions iterates over the regions.
func (o Operation) Regions() iter.Seq2[int, Region] {
	return indexed(o.NumRegions(), o.Region)
}

// Attribute is the attribute of that name, inherent or discardable.
func (o Operation) Attribute(name string) (Attribute, bool) {
	t := o.life.check("Operation.Attribute")
	raw := capi.MlirOperationGetAttributeByName(t, o.raw, name)
	return Attribute{o.life.ctx.life, raw}, raw.Ptr != nil
}

// SetAttribute sets the attribute of that name.
func (o Operation) SetAttribute(name string, a Attribute) {
	t := o.life.check("Operation.SetAttribute")
	capi.MlirOperationSetAttributeByName(t, o.raw, name, a.in(o.life.ctx, "Operation.SetAttribute"))
}

// RemoveAttribute removes the attribute of that name and reports whether there was one.
func (o Operation) RemoveAttribute(name string) bool {
	t := o.life.check("Operation.RemoveAttribute")
	return capi.MlirOperationRemoveAttributeByName(t, o.raw, name)
}

// Attributes iterates over all attributes, sorted by name.
func (o Operation) Attributes() iter.Seq2[string, Attribute] {
	return func(yield func(string, Attribute) bool) {
		t := o.life.check("Operation.Attributes")
		for i := range capi.MlirOperationGetNumAttributes(t, o.raw) {
			named := capi.MlirOperationGetAttribute(t, o.raw, i)
			if !yield(o.life.ctx.text(named.Name), Attribute{o.life.ctx.life, named.Attribute}) {
				return
			}
		}
	}
}

// Verify checks the operation and everything in it. What is wrong comes back as a
// *DiagnosticError.
func (o Operation) Verify() error {
	t := o.life.check("Operation.Verify")
	c := o.life.ctx
	c.sink.Take() // leftovers are not this operation's
	ok := capi.MlirOperationVerify(t, o.raw)
	diagnostics := c.takeDiagnostics("")
	if ok {
		return nil
	}
	return &DiagnosticError{Op: "verify", Diagnostics: diagnostics}
}

// Erase removes the operation and destroys it with everything in it. The results
// must be unused: where one is used, nothing is erased and the error names a use.
func (o Operation) Erase() error {
	t := o.life.check("Operation.Erase")
	for i, r := range o.Results() {
		for use := range r.Uses() {
			return fmt.Errorf("mlir: %s cannot be erased: its result %d is used by %s at %s",
				o.Name(), i, use.Owner.Name(), use.Owner.Location().Position())
		}
	}
	capi.MlirOperationRemoveFromParent(t, o.raw)
	capi.MlirOperationDestroy(t, o.raw)
	return nil
}

// inRange panics with a sentence where the library would read wild memory.
func inRange(method string, i, n int) {
	if i < 0 || i >= n {
		panic(fmt.Sprintf("mlir: %s(%d): there are %d", method, i, n))
	}
}

// indexed iterates over n things by index.
func indexed[T any](n int, at func(int) T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range n {
			if !yield(i, at(i)) {
				return
			}
		}
	}
}
