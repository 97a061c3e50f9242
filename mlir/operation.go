package mlir

import (
	"fmt"
	"iter"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/guard"
)

// An Operation is an operation in a block or detached. Two valid handles to the same
// operation are ==.
type Operation struct {
	life *lifetime
	raw  capi.MlirOperation
}

// Equal reports whether o and other are the same operation, as == does.
func (o Operation) Equal(other Operation) bool { return o == other }

// IsNil reports whether o is the zero Operation.
func (o Operation) IsNil() bool { return o.raw.Ptr == nil }

// Name returns the full name, for example "stablehlo.add".
func (o Operation) Name() string {
	t := o.life.use("Operation.Name", o.raw.Ptr)
	c := o.life.ctx
	if c.last.operation == o && c.last.name.Ptr != nil {
		return c.text(c.last.name)
	}
	return c.text(capi.MlirOperationGetName(t, o.raw))
}

// Context returns the context that the operation belongs to.
func (o Operation) Context() *Context {
	o.life.use("Operation.Context", o.raw.Ptr)
	return o.life.ctx
}

// Location returns the source location of the operation.
func (o Operation) Location() Location {
	t := o.life.use("Operation.Location", o.raw.Ptr)
	return o.life.ctx.location(capi.MlirOperationGetLocation(t, o.raw))
}

// Block returns the block that contains the operation. It returns the nil Block for a
// detached operation and for the operation of a Module.
func (o Operation) Block() Block {
	t := o.life.use("Operation.Block", o.raw.Ptr)
	return o.life.ctx.block(capi.MlirOperationGetBlock(t, o.raw))
}

// Parent returns the operation whose region contains this one, or the nil Operation if
// there is none.
func (o Operation) Parent() Operation {
	t := o.life.use("Operation.Parent", o.raw.Ptr)
	if capi.MlirOperationGetBlock(t, o.raw).Ptr == nil {
		return Operation{}
	}
	return o.life.ctx.operation(capi.MlirOperationGetParentOperation(t, o.raw))
}

// NumOperands returns the number of operands.
func (o Operation) NumOperands() int {
	return capi.MlirOperationGetNumOperands(o.life.use("Operation.NumOperands", o.raw.Ptr), o.raw)
}

// Operand returns the i-th operand. It panics if i is out of range.
func (o Operation) Operand(i int) Value {
	t := o.life.use("Operation.Operand", o.raw.Ptr)
	inRange("Operation.Operand", i, capi.MlirOperationGetNumOperands(t, o.raw))
	return o.life.ctx.value(capi.MlirOperationGetOperand(t, o.raw, i))
}

// SetOperand sets the i-th operand. It panics if i is out of range.
func (o Operation) SetOperand(i int, v Value) {
	t := o.life.use("Operation.SetOperand", o.raw.Ptr)
	inRange("Operation.SetOperand", i, capi.MlirOperationGetNumOperands(t, o.raw))
	raw := v.in(o.life.ctx, "Operation.SetOperand")
	o.life.ctx.sameTop(o, v, "Operation.SetOperand")
	o.touch()
	capi.MlirOperationSetOperand(t, o.raw, i, raw)
}

// Operands returns an iterator over the operands and their indices.
func (o Operation) Operands() iter.Seq2[int, Value] {
	return indexed(o.NumOperands(), o.Operand)
}

// OperandValues returns the operands, for example for OperationState.Operands.
func (o Operation) OperandValues() []Value { return listed(o.Operands()) }

// NumResults returns the number of results.
func (o Operation) NumResults() int {
	return capi.MlirOperationGetNumResults(o.life.use("Operation.NumResults", o.raw.Ptr), o.raw)
}

// Result returns the i-th result. It panics if i is out of range.
func (o Operation) Result(i int) Value {
	if o.life != nil && i == 0 {
		if last := &o.life.ctx.last; last.operation == o && last.result.Ptr != nil {
			return o.life.ctx.value(last.result) // last has only operations that exist
		}
	}
	t := o.life.use("Operation.Result", o.raw.Ptr)
	v := capi.ResultAt(t, o.raw, i)
	if v.Ptr == nil {
		inRange("Operation.Result", i, capi.MlirOperationGetNumResults(t, o.raw))
	}
	return o.life.ctx.value(v)
}

// Results returns an iterator over the results and their indices.
func (o Operation) Results() iter.Seq2[int, Value] {
	return indexed(o.NumResults(), o.Result)
}

// ResultValues returns the results.
func (o Operation) ResultValues() []Value { return listed(o.Results()) }

// NumRegions returns the number of regions.
func (o Operation) NumRegions() int {
	n := capi.MlirOperationGetNumRegions(o.life.use("Operation.NumRegions", o.raw.Ptr), o.raw)
	if n > 1 && o.hasExtraRegion() {
		n--
	}
	return n
}

// Region returns the i-th region. It panics if i is out of range.
func (o Operation) Region(i int) Region {
	t := o.life.use("Operation.Region", o.raw.Ptr)
	inRange("Operation.Region", i, o.NumRegions())
	return o.life.ctx.region(capi.MlirOperationGetRegion(t, o.raw, i))
}

// Regions returns an iterator over the regions and their indices.
func (o Operation) Regions() iter.Seq2[int, Region] {
	return indexed(o.NumRegions(), o.Region)
}

// Verify checks that the operation and everything in it is valid. If not, the error is a
// *DiagnosticError.
func (o Operation) Verify() error {
	t := o.life.use("Operation.Verify", o.raw.Ptr)
	c := o.life.ctx
	c.takeDiagnostics("") // of earlier calls
	if in := c.topOf(capi.OperationKind, o.raw.Ptr); in == nil || in.parted || in.module == nil {
		if bad := capi.Unplaced(t, o.raw); bad.Ptr != nil {
			return c.operation(bad).refused("verify",
				"uses a value, or branches to a block, that is not in an operation: add it to one first")
		}
		if o.Parent().IsNil() && guard.NeedsParent(o.Name()) {
			return o.refused("verify", "is not in an operation: add it to one first")
		}
	}
	if op := o.withoutTable(); !op.IsNil() {
		return op.refused("verify", "is in "+guard.UnknownAround+": the library would crash on it")
	}
	var ok bool
	c.asks(func() { ok = capi.MlirOperationVerify(t, o.raw) })
	diagnostics := c.takeDiagnostics("")
	if ok {
		return c.foreign(o, "verify")
	}
	return &DiagnosticError{Op: "verify", Diagnostics: diagnostics}
}

// refused returns an error in the form of the verifier's for a problem that the library
// does not check. what is the predicate of the message, whose subject is the operation.
func (o Operation) refused(doing, what string) error {
	return &DiagnosticError{Op: doing, Diagnostics: []Diagnostic{{
		Position: o.Location().Position(),
		Message:  "'" + o.Name() + "' op " + what,
	}}}
}

// inRange panics if an index is out of range, because the library does not check it.
func inRange(method string, i, n int) {
	if i < 0 || i >= n {
		panic(fmt.Sprintf("mlir: %s(%d): index out of range with length %d", method, i, n))
	}
}

// indexed returns an iterator over n elements and their indices.
func indexed[T any](n int, at func(int) T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range n {
			if !yield(i, at(i)) {
				return
			}
		}
	}
}

// listed returns the elements of an indexed sequence.
func listed[T any](elements iter.Seq2[int, T]) (list []T) {
	for _, e := range elements {
		list = append(list, e)
	}
	return list
}

// Encloses reports whether v is defined inside o: in a region of o, or of an operation in
// it.
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
