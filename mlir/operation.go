package mlir

import (
	"fmt"
	"iter"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Operation is one operation, in a block or detached. Two that can be used are == if they
// are the same one.
type Operation struct {
	life *lifetime
	raw  capi.MlirOperation
}

// Equal reports whether both are the same one, as == does.
func (o Operation) Equal(other Operation) bool { return o == other }

// IsNil reports whether o is the zero Operation.
func (o Operation) IsNil() bool { return o.raw.Ptr == nil }

// Name is the full name, for example "stablehlo.add".
func (o Operation) Name() string {
	t := o.life.use("Operation.Name", o.raw.Ptr)
	c := o.life.ctx
	if c.last.operation == o && c.last.name.Ptr != nil {
		return c.text(c.last.name)
	}
	return c.text(capi.MlirOperationGetName(t, o.raw))
}

// Context is the context that the operation belongs to.
func (o Operation) Context() *Context {
	o.life.use("Operation.Context", o.raw.Ptr)
	return o.life.ctx
}

// Location is where the operation comes from.
func (o Operation) Location() Location {
	t := o.life.use("Operation.Location", o.raw.Ptr)
	return o.life.ctx.location(capi.MlirOperationGetLocation(t, o.raw))
}

// Block is the block that the operation stands in, nil for a detached one and for a
// top-level module.
func (o Operation) Block() Block {
	t := o.life.use("Operation.Block", o.raw.Ptr)
	return o.life.ctx.block(capi.MlirOperationGetBlock(t, o.raw))
}

// Parent is the operation whose region this one stands in, nil where there is none.
func (o Operation) Parent() Operation {
	t := o.life.use("Operation.Parent", o.raw.Ptr)
	if capi.MlirOperationGetBlock(t, o.raw).Ptr == nil {
		return Operation{}
	}
	return o.life.ctx.operation(capi.MlirOperationGetParentOperation(t, o.raw))
}

// NumOperands is the number of operands.
func (o Operation) NumOperands() int {
	return capi.MlirOperationGetNumOperands(o.life.use("Operation.NumOperands", o.raw.Ptr), o.raw)
}

// Operand is the i-th operand. It panics where there is none.
func (o Operation) Operand(i int) Value {
	t := o.life.use("Operation.Operand", o.raw.Ptr)
	inRange("Operation.Operand", i, capi.MlirOperationGetNumOperands(t, o.raw))
	return o.life.ctx.value(capi.MlirOperationGetOperand(t, o.raw, i))
}

// SetOperand replaces the i-th operand. It panics where there is none.
func (o Operation) SetOperand(i int, v Value) {
	t := o.life.use("Operation.SetOperand", o.raw.Ptr)
	inRange("Operation.SetOperand", i, capi.MlirOperationGetNumOperands(t, o.raw))
	raw := v.in(o.life.ctx, "Operation.SetOperand")
	o.life.ctx.sameTop(o, v, "Operation.SetOperand")
	o.touch()
	capi.MlirOperationSetOperand(t, o.raw, i, raw)
}

// Operands iterates over the operands.
func (o Operation) Operands() iter.Seq2[int, Value] {
	return indexed(o.NumOperands(), o.Operand)
}

// NumResults is the number of results.
func (o Operation) NumResults() int {
	return capi.MlirOperationGetNumResults(o.life.use("Operation.NumResults", o.raw.Ptr), o.raw)
}

// Result is the i-th result. It panics where there is none.
func (o Operation) Result(i int) Value {
	t := o.life.use("Operation.Result", o.raw.Ptr)
	if last := &o.life.ctx.last; i == 0 && last.operation == o && last.result.Ptr != nil {
		return o.life.ctx.value(last.result)
	}
	v := capi.ResultAt(t, o.raw, i)
	if v.Ptr == nil {
		inRange("Operation.Result", i, capi.MlirOperationGetNumResults(t, o.raw))
	}
	return o.life.ctx.value(v)
}

// Results iterates over the results.
func (o Operation) Results() iter.Seq2[int, Value] {
	return indexed(o.NumResults(), o.Result)
}

// NumRegions is the number of regions.
func (o Operation) NumRegions() int {
	return capi.MlirOperationGetNumRegions(o.life.use("Operation.NumRegions", o.raw.Ptr), o.raw)
}

// Region is the i-th region. It panics where there is none.
func (o Operation) Region(i int) Region {
	t := o.life.use("Operation.Region", o.raw.Ptr)
	inRange("Operation.Region", i, capi.MlirOperationGetNumRegions(t, o.raw))
	return o.life.ctx.region(capi.MlirOperationGetRegion(t, o.raw, i))
}

// Regions iterates over the regions.
func (o Operation) Regions() iter.Seq2[int, Region] {
	return indexed(o.NumRegions(), o.Region)
}

// Verify checks the operation and everything in it. What is wrong comes back as a
// *DiagnosticError.
func (o Operation) Verify() error {
	t := o.life.use("Operation.Verify", o.raw.Ptr)
	c := o.life.ctx
	c.takeDiagnostics("") // leftovers are not this operation's
	if in := c.topOf(capi.OperationKind, o.raw.Ptr); in == nil || in.parted || in.module == nil {
		if bad := capi.Unplaced(t, o.raw); bad.Ptr != nil {
			return c.operation(bad).refused("verify", "uses a value, or branches to a block, that is in no operation: put that into one first")
		}
	}
	ok := capi.MlirOperationVerify(t, o.raw)
	diagnostics := c.takeDiagnostics("")
	if ok {
		return nil
	}
	return &DiagnosticError{Op: "verify", Diagnostics: diagnostics}
}

// refused is an error in the form of the verifier's, of what the library does not find
// itself. what says it of the operation.
func (o Operation) refused(doing, what string) error {
	return &DiagnosticError{Op: doing, Diagnostics: []Diagnostic{{
		Position: o.Location().Position(),
		Message:  "'" + o.Name() + "' op " + what,
	}}}
}

// inRange panics if the library would read wild memory.
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

// Encloses reports whether a value is made inside of o: in one of its regions, or in a
// region of an operation there.
func (o Operation) Encloses(v Value) bool {
	o.life.use("Operation.Encloses", o.raw.Ptr)
	var at Operation
	if v.IsArgument() {
		at = v.Block().Parent()
	} else {
		at = v.Owner().Parent()
	}
	for ; !at.IsNil(); at = at.Parent() {
		if at.Equal(o) {
			return true
		}
	}
	return false
}
