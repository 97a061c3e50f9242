package autodiff

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// An emitter creates operations before one that exists. All operations that the package creates go
// through its methods.
type emitter struct {
	c         *mlir.Context
	before    mlir.Operation
	loc       mlir.Location
	entry     mlir.Block              // of the function, which gets the constants
	constants map[constant]mlir.Value // in entry
	keys      map[mlir.Value]constant // of constants
}

type constant struct {
	t     mlir.Type
	value string
}

func newEmitter(before mlir.Operation, loc mlir.Location) *emitter {
	return &emitter{
		c: before.Context(), before: before, loc: loc, entry: before.Block(),
		constants: map[constant]mlir.Value{}, keys: map[mlir.Value]constant{},
	}
}

// creator is an operation of package stablehlo.
type creator interface {
	Create(*mlir.Builder) mlir.Operation
}

// op creates an operation.
func (e *emitter) op(o creator) mlir.Operation { return build(e, o.Create) }

// build creates what f creates, before emitter.before.
func build[T any](e *emitter, f func(*mlir.Builder) T) T {
	b := mlir.NewBuilder(mlir.Before(e.before), e.loc)
	made := f(b)
	check(errors.Unwrap(b.Err())) // without the line of this package
	return made
}

// do creates an operation of one result.
func (e *emitter) do(o creator) mlir.Value { return e.op(o).Result(0) }

// clone creates a copy of an operation with other operands.
func (e *emitter) clone(op mlir.Operation, operands ...mlir.Value) mlir.Operation {
	copied := op.Clone()
	copied.SetOperands(operands...)
	return e.before.Block().InsertBefore(e.before, copied)
}

// remake creates a copy of an operation with other operands and results before it. The regions move to
// the copy. The caller replaces the results of the old one, and erases it.
func (e *emitter) remake(op mlir.Operation, operands []mlir.Value, results []mlir.Type) mlir.Operation {
	s := mlir.OperationState{Name: op.Name(), Location: op.Location(), Operands: operands, Results: results}
	for name, a := range op.Attributes() {
		s.Attributes = append(s.Attributes, mlir.NamedAttribute{Name: name, Value: a})
	}
	for _, r := range op.Regions() {
		moved := e.c.NewRegion()
		moved.TakeBody(r)
		s.Regions = append(s.Regions, moved)
	}
	return must(mlir.Create(mlir.Before(op), s))
}

// at sets where operations are created, and calls f.
func (e *emitter) at(before mlir.Operation, f func()) {
	old := e.before
	defer func() { e.before = old }()
	e.before = before
	f()
}

// region returns a new detached region with one block, which ends with a return of nothing.
func (e *emitter) region(arguments ...mlir.Type) (mlir.Region, mlir.Block) {
	r, b := e.c.NewRegion(), e.c.NewBlock(e.loc, arguments...)
	r.Append(b)
	must(mlir.Create(b, mlir.OperationState{Name: "stablehlo.return", Location: e.loc}))
	return r, b
}

// body returns a region of scalars of type t whose result f computes.
func (e *emitter) body(t mlir.Type, n int, f func(e *emitter, v []mlir.Value) mlir.Value) mlir.Region {
	scalar := must(e.c.TensorType(element(t)))
	r, b := e.region(slices.Repeat([]mlir.Type{scalar}, n)...)
	inner := newEmitter(b.Terminator(), e.loc)
	b.Terminator().SetOperands(f(inner, arguments(b)))
	return r
}

// constant returns a tensor of type t whose elements are all the same, written as in MLIR. A function has
// each constant once.
func (e *emitter) constant(t mlir.Type, value string) mlir.Value {
	return e.shared(constant{t, value}, func() mlir.Attribute {
		return must(e.c.ParseAttribute(fmt.Sprintf("dense<%s> : %s", value, t)))
	})
}

func (e *emitter) shared(key constant, value func() mlir.Attribute) mlir.Value {
	if v, ok := e.constants[key]; ok {
		return v
	}
	op := must(mlir.Create(mlir.AtStart(e.entry), mlir.OperationState{
		Name: "stablehlo.constant", Location: e.loc, InferResults: true,
		Attributes: []mlir.NamedAttribute{{Name: "value", Value: value()}},
	}))
	e.constants[key], e.keys[op.Result(0)] = op.Result(0), key
	return op.Result(0)
}

// number returns a tensor of type t whose elements are all x.
func (e *emitter) number(t mlir.Type, x float64) mlir.Value {
	text := fmt.Sprintf("%.17e", x)
	switch {
	case math.IsInf(x, 0):
		return e.shared(constant{t, text}, func() mlir.Attribute {
			return must(e.c.DenseFromAttributes(t, e.c.FloatAttribute(element(t), x)))
		})
	case isComplex(t):
		text = fmt.Sprintf("(%s, 0.0)", text)
	case element(t) == e.c.IntegerType(1, mlir.Signless):
		text = fmt.Sprintf("%t", x != 0)
	case !isFloat(t):
		text = fmt.Sprintf("%d", int64(x))
	}
	return e.constant(t, text)
}

func (e *emitter) zero(t mlir.Type) mlir.Value { return e.number(t, 0) }

// orZero returns v, or zeros of type t if v does not exist.
func (e *emitter) orZero(v mlir.Value, t mlir.Type) mlir.Value {
	if v.IsNil() {
		return e.zero(t)
	}
	return v
}

// scalarZero returns the zero of the elements of v, for padding and as an initial value.
func (e *emitter) scalarZero(v mlir.Value) mlir.Value {
	return e.zero(must(e.c.TensorType(element(v.Type()))))
}

func (e *emitter) unary(op func(b *mlir.Builder, x mlir.Value) mlir.Value, x mlir.Value) mlir.Value {
	return build(e, func(b *mlir.Builder) mlir.Value { return op(b, x) })
}

func (e *emitter) binary(op func(b *mlir.Builder, x, y mlir.Value) mlir.Value, x, y mlir.Value) mlir.Value {
	return build(e, func(b *mlir.Builder) mlir.Value { return op(b, x, y) })
}

func (e *emitter) neg(x mlir.Value) mlir.Value    { return e.unary(stablehlo.Negate, x) }
func (e *emitter) mul(x, y mlir.Value) mlir.Value { return e.binary(stablehlo.Multiply, x, y) }
func (e *emitter) div(x, y mlir.Value) mlir.Value { return e.binary(stablehlo.Divide, x, y) }
func (e *emitter) sub(x, y mlir.Value) mlir.Value { return e.binary(stablehlo.Subtract, x, y) }
func (e *emitter) square(x mlir.Value) mlir.Value { return e.mul(x, x) }

// add returns the sum. A value that does not exist is zero.
func (e *emitter) add(x, y mlir.Value) mlir.Value {
	switch {
	case x.IsNil():
		return y
	case y.IsNil():
		return x
	}
	return e.binary(stablehlo.Add, x, y)
}

// like returns x in every element of a tensor like v.
func (e *emitter) like(v mlir.Value, x float64) mlir.Value { return e.number(v.Type(), x) }

// scale returns x times a number.
func (e *emitter) scale(v mlir.Value, x float64) mlir.Value { return e.mul(v, e.like(v, x)) }

func (e *emitter) compare(d stablehlo.ComparisonDirection, x, y mlir.Value) mlir.Value {
	return e.do(stablehlo.CompareOp{LHS: x, RHS: y, ComparisonDirection: d})
}

func (e *emitter) choose(pred, x, y mlir.Value) mlir.Value {
	return e.do(stablehlo.SelectOp{Pred: pred, OnTrue: x, OnFalse: y})
}

// nonzero returns x, with ones in the place of zeros.
func (e *emitter) nonzero(x mlir.Value) mlir.Value {
	return e.choose(e.compare(stablehlo.CompareEQ, x, e.like(x, 0)), e.like(x, 1), x)
}

func (e *emitter) convert(x mlir.Value, to mlir.Type) mlir.Value {
	if element(x.Type()) == element(to) {
		return x
	}
	return e.do(stablehlo.ConvertOp{Operand: x, ResultType: must(e.c.TensorType(element(to), dims(x)...))})
}

func (e *emitter) real(x mlir.Value) mlir.Value { return e.do(stablehlo.RealOp{Operand: x}) }
func (e *emitter) imag(x mlir.Value) mlir.Value { return e.do(stablehlo.ImagOp{Operand: x}) }
func (e *emitter) complex(re, im mlir.Value) mlir.Value {
	return e.do(stablehlo.ComplexOp{LHS: re, RHS: im})
}

// conj returns the conjugate of complex numbers, and real ones as they are.
func (e *emitter) conj(x mlir.Value) mlir.Value {
	if !isComplex(x.Type()) {
		return x
	}
	return e.complex(e.real(x), e.neg(e.imag(x)))
}

func (e *emitter) reshape(x mlir.Value, to ...int64) mlir.Value {
	if slices.Equal(dims(x), to) {
		return x
	}
	return e.do(stablehlo.ReshapeOp{Operand: x, ResultType: must(e.c.TensorType(element(x.Type()), to...))})
}

func (e *emitter) transpose(x mlir.Value, permutation []int64) mlir.Value {
	if slices.IsSorted(permutation) {
		return x
	}
	return e.do(stablehlo.TransposeOp{Operand: x, Permutation: permutation})
}

// broadcast returns x with dimension i as dimension to[i] of a tensor of these dimensions.
func (e *emitter) broadcast(x mlir.Value, to []int64, shape ...int64) mlir.Value {
	if slices.Equal(dims(x), shape) {
		return x
	}
	return e.do(stablehlo.BroadcastInDimOp{
		Operand: x, BroadcastDimensions: to, ResultType: must(e.c.TensorType(element(x.Type()), shape...)),
	})
}

// sum returns the sum over dimensions.
func (e *emitter) sum(x mlir.Value, over ...int64) mlir.Value {
	if len(over) == 0 {
		return x
	}
	return e.do(stablehlo.ReduceOp{
		Inputs: []mlir.Value{x}, InitValues: []mlir.Value{e.scalarZero(x)}, Dimensions: over,
		Body: e.adder(x),
	})
}

// adder returns the body that adds elements like those of x.
func (e *emitter) adder(x mlir.Value) mlir.Region {
	return e.body(x.Type(), 2, func(e *emitter, v []mlir.Value) mlir.Value { return e.add(v[0], v[1]) })
}

func (e *emitter) pad(x mlir.Value, low, high, interior []int64) mlir.Value {
	return e.do(stablehlo.PadOp{
		Operand: x, PaddingValue: e.scalarZero(x), EdgePaddingLow: low, EdgePaddingHigh: high, InteriorPadding: interior,
	})
}

func (e *emitter) slice(x mlir.Value, start, limit, strides []int64) mlir.Value {
	return e.do(stablehlo.SliceOp{Operand: x, StartIndices: start, LimitIndices: limit, Strides: strides})
}

func (e *emitter) iota(element mlir.Type, dimension int64, shape ...int64) mlir.Value {
	return e.do(stablehlo.IotaOp{IotaDimension: dimension, ResultType: must(e.c.TensorType(element, shape...))})
}
