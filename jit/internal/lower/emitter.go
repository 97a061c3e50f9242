package lower

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/bufferization"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
	"github.com/calliope-mlir/calliope/mlir/dialect/tensor"
)

// An emitter creates operations in the place of one. It works on signless values: a tensor of unsigned elements is
// cast where it comes from an operation of StableHLO, and back where it goes into one. MLIR's pass removes the casts.
type emitter struct {
	*mlir.Builder
	op     mlir.Operation
	module *mlir.Module // nil if no functions are added to it
	copies bool         // each array that is changed in place is a copy
}

// signlessType returns a type with signless in place of unsigned integers.
func signlessType(c *mlir.Context, t mlir.Type) mlir.Type {
	elem, shaped := t.Element()
	if !shaped {
		elem = t
	}
	bits, sign, ok := elem.IntegerWidth()
	if !ok || sign == mlir.Signless {
		return t
	}
	elem = c.IntegerType(bits, mlir.Signless)
	if !shaped {
		return elem
	}
	dims, _ := t.Dims()
	result, err := c.TensorType(elem, dims...)
	if err != nil {
		panic(err) // t has the same dimensions
	}
	return result
}

// cast casts a tensor between unsigned and signless elements.
func (e *emitter) cast(v mlir.Value, t mlir.Type) mlir.Value {
	if e.Err() != nil || v.Type().Equal(t) {
		return v
	}
	return e.Create(mlir.OperationState{Name: "builtin.unrealized_conversion_cast", Operands: []mlir.Value{v},
		Results: []mlir.Type{t}}).Result(0)
}

func (e *emitter) signless(v mlir.Value) mlir.Value {
	if e.Err() != nil {
		return v
	}
	return e.cast(v, signlessType(e.Context(), v.Type()))
}

// operands returns the operands of the operation.
func (e *emitter) operands() []mlir.Value { return each(e.op.OperandValues(), e.signless) }

// owned returns an operand that is changed in place, or a copy of it if it is used later. Bufferization would also
// copy it, but MLIR computes values in the buffers of results before, and then refuses what cannot stay in one.
func (e *emitter) owned(i int) mlir.Value {
	v := e.op.Operand(i)
	if isScalar(v.Type()) || !e.copies && !usedLater(v, e.op, i) {
		return e.signless(v)
	}
	return e.copy(e.signless(v))
}

// usedLater reports whether a value has a use after the i-th operand of an operation.
func usedLater(v mlir.Value, op mlir.Operation, i int) bool {
	for use := range v.Uses() {
		if (!use.Owner.Equal(op) || use.Operand != i) && isLater(use.Owner, op) {
			return true
		}
	}
	return false
}

// isLater reports whether one operation may run after another one, or at the same time.
func isLater(user, op mlir.Operation) bool {
	for at := op; !at.IsNil(); at = at.Parent() {
		if in := within(user, at.Block()); in.Equal(at) {
			return at.Equal(op) || at.Name() != "scf.if" // of which one branch runs
		} else if !in.IsNil() {
			return at.IsBefore(in)
		}
		if parent := at.Parent(); parent.IsNil() || parent.Name() != "scf.if" { // a loop may come back
			return true
		}
	}
	return true
}

// copy returns a copy of a tensor in a buffer of its own.
func (e *emitter) copy(v mlir.Value) mlir.Value {
	if e.Err() != nil {
		return v
	}
	return bufferization.AllocTensorOp{Copy: v, ResultType: v.Type()}.Create(e.Builder).Result(0)
}

// ownedFrom returns the first n operands, which are changed in place.
func (e *emitter) ownedFrom(n int) []mlir.Value {
	list := make([]mlir.Value, n)
	for i := range list {
		list[i] = e.owned(i)
	}
	return list
}

// each returns what f makes of the values.
func each[T, U any](values []T, f func(T) U) []U {
	list := make([]U, len(values))
	for i, v := range values {
		list[i] = f(v)
	}
	return list
}

// replace replaces the operation by values.
func (e *emitter) replace(values []mlir.Value) error {
	for i, r := range e.op.Results() {
		v := e.cast(values[i], r.Type())
		if e.Err() != nil {
			return e.Err()
		}
		r.ReplaceAllUses(v)
	}
	return e.op.Erase()
}

// take copies the operations of a block to the place where operations are created, with values for the arguments of
// the block, and returns what the block returns.
func (e *emitter) take(from mlir.Block, values []mlir.Value) []mlir.Value {
	var copies mlir.Mapping
	for i, a := range from.Arguments() {
		if v := e.cast(values[i], a.Type()); e.Err() == nil {
			copies.Map(a, v)
		}
	}
	if e.Err() != nil {
		return values
	}
	place := arith.ConstantIndex(e.Builder, 0).Owner() // the builder cannot insert operations
	end := from.Terminator()
	for op := range from.Operations() {
		if !op.Equal(end) {
			place.Block().InsertBefore(place, op.CloneWith(&copies))
		}
	}
	e.Fail(place.Erase())
	return each(end.OperandValues(), func(v mlir.Value) mlir.Value {
		if copied, ok := copies.Value(v); ok {
			v = copied
		}
		return e.signless(v)
	})
}

// isScalar reports whether a type is a tensor of rank 0.
func isScalar(t mlir.Type) bool {
	rank, ok := t.Rank()
	return ok && rank == 0
}

// unpack returns the element of a tensor of rank 0, and other values as they are. Elements are what loops carry and
// conditions return in the place of such tensors.
func (e *emitter) unpack(v mlir.Value) mlir.Value {
	if e.Err() != nil || !isScalar(v.Type()) {
		return v
	}
	return tensor.Extract(e.Builder, v)
}

// pack is the inverse of unpack.
func (e *emitter) pack(v mlir.Value) mlir.Value {
	if e.Err() != nil || v.Type().IsRankedTensor() {
		return v
	}
	return tensor.FromElements(e.Builder, e.tensorOf(v.Type()), v)
}

// store copies a tensor into the buffer of another one, and returns an element as it is.
func (e *emitter) store(v, to mlir.Value) mlir.Value {
	if e.Err() != nil || !v.Type().IsRankedTensor() {
		return v
	}
	return bufferization.MaterializeInDestinationOp{Source: v, Dest: to,
		ResultType: to.Type()}.Create(e.Builder).Result(0)
}

// buffer returns a tensor of undefined elements with a buffer of its own. Two values tensor.empty of a type could
// become one.
func (e *emitter) buffer(t mlir.Type) mlir.Value { return bufferization.AllocTensor(e.Builder, t) }

// index returns a constant of type index.
func (e *emitter) index(n int64) mlir.Value { return arith.ConstantIndex(e.Builder, n) }

// nest creates loops from 0 up to sizes, which carry values. body builds the innermost one.
func (e *emitter) nest(
	sizes []int64, carried []mlir.Value, body func(at, carried []mlir.Value) []mlir.Value,
) []mlir.Value {
	var loop func(at, carried []mlir.Value) []mlir.Value
	loop = func(at, carried []mlir.Value) []mlir.Value {
		if len(at) == len(sizes) {
			return body(at, carried)
		}
		return scf.Iterate(e.Builder, e.index(0), e.index(sizes[len(at)]), e.index(1), carried,
			func(i mlir.Value, carried []mlir.Value) []mlir.Value {
				return loop(append(at[:len(at):len(at)], i), carried)
			})
	}
	return loop(nil, carried)
}

// extract returns elements of tensors at the same place.
func (e *emitter) extract(from, at []mlir.Value) []mlir.Value {
	return each(from, func(v mlir.Value) mlir.Value { return tensor.Extract(e.Builder, v, at...) })
}

// insert puts elements into tensors at the same place.
func (e *emitter) insert(elements, into, at []mlir.Value) []mlir.Value {
	list := make([]mlir.Value, len(into))
	for i := range into {
		list[i] = tensor.Insert(e.Builder, elements[i], into[i], at...)
	}
	return list
}

// dims returns the dimensions of a tensor.
func dims(v mlir.Value) []int64 {
	list, _ := v.Type().Dims()
	return list
}

// elementOf returns the type of the elements of a tensor.
func (e *emitter) elementOf(v mlir.Value) mlir.Type {
	if e.Err() != nil {
		return e.Context().NoneType()
	}
	elem, _ := v.Type().Element()
	return elem
}

// tensorOf returns a type of tensors.
func (e *emitter) tensorOf(elem mlir.Type, dims ...int64) mlir.Type {
	if e.Err() != nil {
		return elem
	}
	t, err := e.Context().TensorType(elem, dims...)
	e.Fail(err)
	return t
}

// integer returns a signless type.
func (e *emitter) integer(bits int) mlir.Type { return e.Context().IntegerType(bits, mlir.Signless) }

// constant returns a constant tensor.
func (e *emitter) constant(value mlir.Attribute) mlir.Value {
	t, _ := value.Type()
	return e.Create(mlir.OperationState{Name: "stablehlo.constant", Results: []mlir.Type{t},
		Attributes: []mlir.NamedAttribute{{Name: "value", Value: value}}}).Result(0)
}
