package builder

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Number is a Go number, or a bool.
type Number interface {
	bool | int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64 |
		float32 | float64 | complex64 | complex128
}

// An Operand is what an elementwise operation accepts: a Value or a Go number. A Go number
// becomes a constant of the other operand's element type, which must be able to represent
// it:
//
//	builder.Mul(0.5, builder.Add(x, 1))
//
// At least one operand is a Value. Two Values must have the same shape, with two
// exceptions: a scalar, and a dimension of 1 in a value with as many dimensions, are
// broadcast to the other operand's shape. Use BroadcastInDim or ExpandDims for values with
// different numbers of dimensions.
type Operand interface{ Value | Number }

// begin2 starts a step with two operands and gives them the same shape.
func begin2[X, Y Operand](name string, x X, y Y) (step, Value, Value) {
	a, isA := any(x).(Value)
	b, isB := any(y).(Value)
	switch {
	case isA && isB:
		s := begin(name, a, b)
		if s.ok && !a.v.Type().Equal(b.v.Type()) {
			a, b = s.stretch(a, b)
		}
		return s, a, b
	case isA:
		s := begin(name, a)
		return s, a, s.numberLike(y, a)
	case isB:
		s := begin(name, b)
		return s, s.numberLike(x, b), b
	}
	panic(misuse("both operands are Go numbers: one operand must be a Value"))
}

// other returns an operand as a value with the shape of like.
func other[X Operand](s *step, x X, like Value) Value {
	v, ok := any(x).(Value)
	if !ok {
		return s.numberLike(x, like)
	}
	if !s.ok {
		return v
	}
	v, _ = s.stretch(v, like)
	return v
}

// given returns an operand as a list, which is empty for a number.
func given[X Operand](x X) []Value {
	if v, ok := any(x).(Value); ok {
		return []Value{v}
	}
	return nil
}

// stretch gives a and b the same shape if one is a scalar, or has dimensions of 1 where the
// other has more. The operation reports all other differences.
func (s *step) stretch(a, b Value) (Value, Value) {
	if da, db := dtypeOf(a), dtypeOf(b); da != db && da != tensor.Invalid && db != tensor.Invalid {
		s.fail("the element types %s and %s differ: use Convert on one of them", da, db)
		return a, b
	}
	ad, bd := dimsOf(a), dimsOf(b)
	switch {
	case len(ad) == 0 && len(bd) > 0:
		return s.like(a, b), b
	case len(bd) == 0 && len(ad) > 0:
		return a, s.like(b, a)
	case len(ad) != len(bd):
		s.fail("the operands have %d and %d dimensions: use BroadcastInDim or ExpandDims on one of them", len(ad),
			len(bd))
		return a, b
	}
	dims, sizes := make([]int, len(ad)), make([]Value, len(ad)) // a value has the dimension
	stretchA, stretchB := false, false
	for i := range dims {
		dims[i], sizes[i] = ad[i], a
		switch {
		case ad[i] == bd[i]:
		case ad[i] == 1:
			dims[i], sizes[i], stretchA = bd[i], b, true
		case bd[i] == 1:
			stretchB = true
		case ad[i] < 0:
			dims[i] = bd[i]
		case bd[i] >= 0:
			return a, b
		}
	}
	if stretchA {
		a = s.stretchTo(a, dims, sizes)
	}
	if stretchB {
		b = s.stretchTo(b, dims, sizes)
	}
	return a, b
}

// stretchTo broadcasts x to dimensions. Those that are unknown are those of values.
func (s *step) stretchTo(x Value, dims []int, of []Value) Value {
	if isStatic(dims) {
		return s.broadcast(x, dims, upTo(len(dims)))
	}
	return s.one(stablehlo.DynamicBroadcastInDimOp{
		Operand: x.v, OutputDimensions: s.sizesOf(of).v, BroadcastDimensions: int64s(upTo(len(dims))),
		ResultType: s.typed(x, dims),
	})
}

// like broadcasts a scalar to the shape of another value, whose dimensions may be unknown.
func (s *step) like(scalar, other Value) Value {
	dims := dimsOf(other)
	if isStatic(dims) {
		return s.broadcast(scalar, dims, nil)
	}
	return s.one(stablehlo.DynamicBroadcastInDimOp{
		Operand: scalar.v, OutputDimensions: s.shapeOf(other).v, BroadcastDimensions: []int64{},
		ResultType: s.typed(scalar, dims),
	})
}

// shapeOf returns the dimensions of x at run time, s32[rank].
func (s *step) shapeOf(x Value) Value { return s.sizesOf(slices.Repeat([]Value{x}, rankOf(x))) }

// sizesOf returns a dimension of each of several values at run time, s32[len(of)]: of the value i the dimension i.
func (s *step) sizesOf(of []Value) Value {
	var parts []mlir.Value
	for i, v := range of {
		parts = append(parts, s.size(v, i))
	}
	return s.one(stablehlo.ConcatenateOp{Inputs: parts})
}

// places returns the index of each element of x along an axis, s32.
func (s *step) places(x Value, axis int) Value {
	if !s.ok {
		return s.none()
	}
	t := s.tensor(tensor.Shape{DType: tensor.S32, Dims: dimsOf(x)})
	if isStatic(dimsOf(x)) {
		return s.one(stablehlo.IotaOp{IotaDimension: int64(axis), ResultType: t})
	}
	return s.one(stablehlo.DynamicIotaOp{OutputShape: s.shapeOf(x).v, IotaDimension: int64(axis), ResultType: t})
}

// size returns a dimension of x at run time, s32[1].
func (s *step) size(x Value, axis int) mlir.Value {
	return s.reshape(s.one(stablehlo.GetDimensionSizeOp{Operand: x.v, Dimension: int64(axis)}), 1).v
}

// numberLike returns a Go number as a constant with the type of like.
func (s *step) numberLike(v any, like Value) Value {
	if !s.ok {
		return s.none()
	}
	dims := dimsOf(like)
	if isStatic(dims) {
		return s.splat(v, like.v.Type())
	}
	return s.like(s.splat(v, s.typed(like, nil)), like)
}

// splat returns a constant whose elements are all the same Go number.
func (s *step) splat(v any, t mlir.Type) Value {
	if !s.ok {
		return s.none()
	}
	value, err := splatAttribute(t, v)
	if err != nil {
		return s.fail("%w", err)
	}
	return s.constant(value)
}

// constant returns an elements attribute as a value.
func (s *step) constant(value mlir.Attribute) Value { return s.one(constantOp{value}) }

type constantOp struct{ value mlir.Attribute }

func (o constantOp) Create(b *mlir.Builder) mlir.Operation {
	return b.Create(mlir.OperationState{
		Name: "stablehlo.constant", Attributes: []mlir.NamedAttribute{{Name: "value", Value: o.value}},
		InferResults: true,
	})
}

func splatAttribute(t mlir.Type, v any) (mlir.Attribute, error) {
	ctx := t.Context()
	element, _ := t.Element()
	dtype, err := tensor.DTypeFromMLIR(element.String())
	if err != nil {
		return mlir.Attribute{}, fmt.Errorf("a Go number cannot become an element of type %s: use a Value", element)
	}
	n := reflect.ValueOf(v)
	notRepresentable := func() (mlir.Attribute, error) {
		return mlir.Attribute{}, fmt.Errorf("the %T %v cannot be represented in %s", v, v, dtype)
	}
	switch dtype {
	case tensor.Pred:
		if n.Kind() != reflect.Bool {
			return notRepresentable()
		}
		return mlir.NewDenseSplat(t, n.Bool())
	case tensor.C64, tensor.C128:
		c, ok := asComplex(n)
		if !ok {
			return notRepresentable()
		}
		if dtype == tensor.C64 {
			return mlir.NewDenseSplat(t, complex64(c))
		}
		return mlir.NewDenseSplat(t, c)
	}
	if _, isFloat := element.FloatKind(); isFloat {
		f, ok := asFloat(n)
		if !ok || !representable(f, dtype) {
			return notRepresentable()
		}
		return ctx.DenseFromAttributes(t, ctx.FloatAttribute(element, f))
	}
	i, ok := asInteger(n)
	if width, signedness, isInteger := element.IntegerWidth(); !ok || !isInteger ||
		!fitsInteger(i, width, signedness == mlir.Unsigned) {
		return notRepresentable()
	}
	a, err := ctx.BigIntegerAttribute(element, i)
	if err != nil {
		return mlir.Attribute{}, err
	}
	return ctx.DenseFromAttributes(t, a)
}

// floats holds the greatest finite number of each floating point type, and whether it has
// infinities and NaN (StableHLO specification, section Types, and the papers it names).
var floats = map[tensor.DType]struct {
	max      float64
	inf, nan bool
}{
	tensor.F16:           {65504, true, true},
	tensor.BF16:          {0x1.fep127, true, true},
	tensor.F32:           {math.MaxFloat32, true, true},
	tensor.F64:           {math.MaxFloat64, true, true},
	tensor.F8E5M2:        {57344, true, true},
	tensor.F8E4M3:        {240, true, true},
	tensor.F8E3M4:        {15.5, true, true},
	tensor.F8E4M3FN:      {448, false, true},
	tensor.F8E4M3B11FNUZ: {30, false, true},
	tensor.F8E5M2FNUZ:    {57344, false, true},
	tensor.F8E4M3FNUZ:    {240, false, true},
	tensor.F4E2M1FN:      {6, false, false},
	tensor.F8E8M0FNU:     {0x1p127, false, false}, // it has a NaN, which some MLIR libraries turn into infinity
}

// representable reports whether the type can represent a number, except for rounding.
func representable(v float64, d tensor.DType) bool {
	t := floats[d]
	switch {
	case math.IsNaN(v):
		return t.nan
	case math.IsInf(v, 0):
		return t.inf
	case d == tensor.F8E8M0FNU: // powers of two only
		return v > 0 && v <= t.max
	}
	return math.Abs(v) <= t.max
}

func asComplex(n reflect.Value) (complex128, bool) {
	if n.CanComplex() {
		return n.Complex(), true
	}
	f, ok := asFloat(n)
	return complex(f, 0), ok
}

func asFloat(n reflect.Value) (float64, bool) {
	switch {
	case n.CanFloat():
		return n.Float(), true
	case n.CanInt():
		return float64(n.Int()), true
	case n.CanUint():
		return float64(n.Uint()), true
	}
	return 0, false
}

// asInteger also accepts floating point numbers that are whole, such as 2.0.
func asInteger(n reflect.Value) (*big.Int, bool) {
	switch {
	case n.CanInt():
		return big.NewInt(n.Int()), true
	case n.CanUint():
		return new(big.Int).SetUint64(n.Uint()), true
	case n.CanFloat() && n.Float() == math.Trunc(n.Float()) && !math.IsInf(n.Float(), 0):
		i, _ := big.NewFloat(n.Float()).Int(nil)
		return i, true
	}
	return nil, false
}

func fitsInteger(i *big.Int, width int, unsigned bool) bool {
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(width))
	if !unsigned {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	return i.Cmp(low) >= 0 && i.Cmp(high) < 0
}
