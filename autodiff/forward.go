package autodiff

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// forward adds to a function the operations that compute tangents. They stand after the operations
// that they belong to.
type forward struct {
	*emitter
	tangents map[mlir.Value]mlir.Value // those that are not zero
	*settings
}

// tangent returns the tangent of a value, or the zero Value if it is zero.
func (f *forward) tangent(v mlir.Value) mlir.Value { return f.tangents[v] }

// operand returns the tangent of an operand.
func (f *forward) operand(op mlir.Operation, i int) mlir.Value { return f.tangents[op.Operand(i)] }

// full returns the tangent of a value, with zeros if it does not exist.
func (f *forward) full(v mlir.Value) mlir.Value { return f.orZero(f.tangents[v], v.Type()) }

// set sets the tangent of a value.
func (f *forward) set(v, tangent mlir.Value) {
	if !tangent.IsNil() {
		f.tangents[v] = tangent
	}
}

// accumulate adds to the tangent of a value.
func (f *forward) accumulate(v, tangent mlir.Value) { f.set(v, f.add(f.tangents[v], tangent)) }

// block adds the tangents of all values of a block.
func (f *forward) block(b mlir.Block) {
	reached := func(v mlir.Value) bool { return !f.tangent(v).IsNil() }
	f.each(b, reached, func(op mlir.Operation) { ruleOf(op).jvp(f, op) })
}

// each calls visit for the active operations of a block, in their order, after those that have other operations in
// their place were replaced. What visit creates stands after the operation.
func (f *forward) each(b mlir.Block, reached func(v mlir.Value) bool, visit func(op mlir.Operation)) {
	end := b.Terminator()
	for op := b.First(); op != end; {
		next := op.Next()
		refuseBits(op, reached)
		if !active(op, reached) {
			op = next
			continue
		}
		f.Loc = op.Location()
		mark := f.marker(op, next)
		f.At(next, func() {
			if r := ruleFor(op); r.expand != nil {
				if with := r.expand(f, op); with != nil {
					transform.Replace(op.ResultValues(), with)
					next = op.Next()
					transform.Check(op.Erase())
					return
				}
			}
			visit(op)
		})
		mark()
		op = next
	}
}

// active reports whether the results of an operation may have tangents that are not zero.
func active(op mlir.Operation, reached func(v mlir.Value) bool) bool {
	if transform.IsControl(op) {
		return true // its regions may use anything
	}
	if o, ok := stablehlo.AsSend(op); ok && !o.IsHostTransfer && slices.ContainsFunc(op.OperandValues(), reached) {
		transform.Fail(op, "what another device receives has no derivative: use collective_permute")
	}
	return slices.ContainsFunc(op.ResultValues(), func(v mlir.Value) bool { return carries(v.Type()) }) &&
		slices.ContainsFunc(transform.Uses(op), reached)
}

// carries reports whether values of a type may have derivatives, or contain others that have.
func carries(t mlir.Type) bool {
	if elements, ok := t.Elements(); ok {
		return slices.ContainsFunc(elements, carries)
	}
	if e, ok := t.Element(); ok {
		t = e
	}
	if t.IsFloat() {
		return true
	}
	_, _, isInteger := t.IntegerWidth()
	return !isInteger && !t.IsIndex() && t.String() != "!stablehlo.token"
}

// ruleOf returns the rule of an active operation, or ends the transformation if it has no derivative.
func ruleOf(op mlir.Operation) rule {
	for _, v := range op.Results() {
		if _, static := v.Type().NumElements(); !static && differentiable(v.Type()) {
			transform.Fail(op, "its result %s has a dynamic dimension: "+
				"make the shapes of the module static first, with stablehlo.Refine", v.Type())
		}
	}
	for _, v := range op.Results() {
		if t := v.Type(); carries(t) && !t.IsRankedTensor() {
			transform.Fail(op, "its result is %s, and what it contains has no derivative: use the values in it directly", t)
		}
	}
	r := known(op)
	switch {
	case r.jvp != nil:
	case slices.ContainsFunc(op.ResultValues(), func(v mlir.Value) bool { return stablehlo.IsQuantized(v.Type()) }):
		transform.Fail(op, "quantized values have no derivative: quantize after training, or compute with the dequantized values")
	case strings.Contains(op.Name(), "dynamic_"):
		transform.Fail(op, "its shape is a value: make the shapes of the module static first, with stablehlo.Refine")
	default:
		transform.Fail(op, "no derivative of this operation is known: replace it, or keep the parameters of the derivative from it")
	}
	return r
}

// differentiable reports whether values of a type have tangents.
func differentiable(t mlir.Type) bool {
	return t.IsRankedTensor() && (transform.IsFloat(t) || transform.IsComplex(t))
}
