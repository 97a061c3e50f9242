package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// An emitter creates operations before one that exists. All operations that the package creates go
// through its methods.
type emitter struct{ *transform.Emitter }

func newEmitter(before mlir.Operation, loc mlir.Location) *emitter {
	return &emitter{transform.NewEmitter(before, loc)}
}

// body returns a region of scalars of type t whose result f computes.
func (e *emitter) body(t mlir.Type, n int, f func(e *emitter, v []mlir.Value) mlir.Value) mlir.Region {
	scalar := transform.Must(e.Context.TensorType(transform.Element(t)))
	r, b := e.Region(slices.Repeat([]mlir.Type{scalar}, n)...)
	inner := newEmitter(b.Terminator(), e.Loc)
	b.Terminator().SetOperands(f(inner, b.ArgumentValues()))
	return r
}

// orZero returns v, or zeros of type t if v does not exist.
func (e *emitter) orZero(v mlir.Value, t mlir.Type) mlir.Value {
	if v.IsNil() {
		return e.Zero(t)
	}
	return v
}

// scalarZero returns the zero of the elements of v, for padding and as an initial value.
func (e *emitter) scalarZero(v mlir.Value) mlir.Value {
	return e.Zero(transform.Must(e.Context.TensorType(transform.Element(v.Type()))))
}

func (e *emitter) neg(x mlir.Value) mlir.Value    { return e.Elementwise("stablehlo.negate", x) }
func (e *emitter) mul(x, y mlir.Value) mlir.Value { return e.Elementwise("stablehlo.multiply", x, y) }
func (e *emitter) div(x, y mlir.Value) mlir.Value { return e.Elementwise("stablehlo.divide", x, y) }
func (e *emitter) sub(x, y mlir.Value) mlir.Value { return e.Elementwise("stablehlo.subtract", x, y) }
func (e *emitter) square(x mlir.Value) mlir.Value { return e.mul(x, x) }

// add returns the sum. A value that does not exist is zero.
func (e *emitter) add(x, y mlir.Value) mlir.Value {
	switch {
	case x.IsNil():
		return y
	case y.IsNil():
		return x
	}
	return e.Elementwise("stablehlo.add", x, y)
}

// like returns x in every element of a tensor like v.
func (e *emitter) like(v mlir.Value, x float64) mlir.Value { return e.Number(v.Type(), x) }

// scale returns x times a number.
func (e *emitter) scale(v mlir.Value, x float64) mlir.Value { return e.mul(v, e.like(v, x)) }

// nonzero returns x, with ones in the place of zeros.
func (e *emitter) nonzero(x mlir.Value) mlir.Value {
	return e.Select(e.Compare(stablehlo.CompareEQ, x, e.like(x, 0)), e.like(x, 1), x)
}

func (e *emitter) convert(x mlir.Value, to mlir.Type) mlir.Value {
	if transform.Element(x.Type()) == transform.Element(to) {
		return x
	}
	return e.Do(stablehlo.ConvertOp{Operand: x,
		ResultType: transform.Must(e.Context.TensorType(transform.Element(to), transform.Dims(x)...))})
}

func (e *emitter) real(x mlir.Value) mlir.Value { return e.Do(stablehlo.RealOp{Operand: x}) }
func (e *emitter) imag(x mlir.Value) mlir.Value { return e.Do(stablehlo.ImagOp{Operand: x}) }
func (e *emitter) complex(re, im mlir.Value) mlir.Value {
	return e.Do(stablehlo.ComplexOp{LHS: re, RHS: im})
}

// conj returns the conjugate of complex numbers, and real ones as they are.
func (e *emitter) conj(x mlir.Value) mlir.Value {
	if !transform.IsComplex(x.Type()) {
		return x
	}
	return e.complex(e.real(x), e.neg(e.imag(x)))
}

// sum returns the sum over dimensions.
func (e *emitter) sum(x mlir.Value, over ...int64) mlir.Value {
	if len(over) == 0 {
		return x
	}
	return e.Do(stablehlo.ReduceOp{
		Inputs: []mlir.Value{x}, InitValues: []mlir.Value{e.scalarZero(x)}, Dimensions: over,
		Body: e.adder(x),
	})
}

// adder returns the body that adds elements like those of x.
func (e *emitter) adder(x mlir.Value) mlir.Region {
	return e.body(x.Type(), 2, func(e *emitter, v []mlir.Value) mlir.Value { return e.add(v[0], v[1]) })
}

func (e *emitter) pad(x mlir.Value, low, high, interior []int64) mlir.Value {
	return e.Do(stablehlo.PadOp{
		Operand: x, PaddingValue: e.scalarZero(x), EdgePaddingLow: low, EdgePaddingHigh: high,
		InteriorPadding: interior,
	})
}

// count returns an attribute with a number of things.
func (e *emitter) count(n int) mlir.Attribute {
	return e.Context.IntegerAttribute(e.Context.IntegerType(64, mlir.Signless), int64(n))
}
