package builder

import (
	"fmt"
	"math"
	"math/big"
	"reflect"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Number is a Go number, or a bool.
type Number interface {
	bool | int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64 |
		float32 | float64 | complex64 | complex128
}

// Operand is what an elementwise operation takes: a Value, or a Go number, which
// becomes a constant of the other operand's element type and must have a place in it:
//
//	builder.Mul(0.5, builder.Add(x, 1))
//
// One operand at least is a Value. Values have one shape; only a scalar, and a
// dimension of 1 in a value of as many dimensions, are stretched to the other operand's.
// Values of different numbers of dimensions say how they go together with BroadcastInDim
// or ExpandDims.
type Operand interface{ Value | Number }

// begin2 starts a step of two operands, which are of one shape then.
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
	panic(fmt.Sprintf("builder: %s was given two Go numbers, which Go itself can reckon with: one operand must be a Value", name))
}

// other is an operand as a value of the shape of like.
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

// given is an operand as a list, empty for a number.
func given[X Operand](x X) []Value {
	if v, ok := any(x).(Value); ok {
		return []Value{v}
	}
	return nil
}

// stretch gives a and b one shape where one is a scalar, or has dimensions of 1 where the
// other has more. What fits otherwise is for the operation to say.
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
		s.fail("arrays of %d and %d dimensions: say how they go together with BroadcastInDim or ExpandDims", len(ad), len(bd))
		return a, b
	case !isStatic(ad) || !isStatic(bd):
		return a, b
	}
	dims, stretchA, stretchB := make([]int, len(ad)), false, false
	for i := range dims {
		dims[i] = ad[i]
		if ad[i] != bd[i] {
			stretchA, stretchB = stretchA || ad[i] == 1, stretchB || bd[i] == 1
			if ad[i] == 1 {
				dims[i] = bd[i]
			} else if bd[i] != 1 {
				return a, b
			}
		}
	}
	if stretchA {
		a = s.broadcast(a, dims, upTo(len(dims)))
	}
	if stretchB {
		b = s.broadcast(b, dims, upTo(len(dims)))
	}
	return a, b
}

// like stretches a scalar to the shape of another value, known or not.
func (s *step) like(scalar, other Value) Value {
	dims := dimsOf(other)
	if isStatic(dims) {
		return s.broadcast(scalar, dims, nil)
	}
	return s.one(stablehlo.DynamicBroadcastInDim{
		Operand: scalar.v, OutputDimensions: s.shapeOf(other).v, BroadcastDimensions: []int64{},
		Result: s.typed(scalar, dims),
	})
}

// shapeOf are the dimensions of x when the program runs, s32[rank].
func (s *step) shapeOf(x Value) Value {
	var parts []mlir.Value
	for i := range dimsOf(x) {
		size := s.one(stablehlo.GetDimensionSize{Operand: x.v, Dimension: int64(i)})
		parts = append(parts, s.reshape(size, 1).v)
	}
	return s.one(stablehlo.Concatenate{Inputs: parts})
}

// numberLike is a Go number as a constant of the type of like.
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

// splat is a constant whose elements are all one Go number.
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

// constant makes an elements attribute a value.
func (s *step) constant(value mlir.Attribute) Value { return s.one(constantOp{value}) }

type constantOp struct{ value mlir.Attribute }

func (o constantOp) Create(in mlir.Place, at mlir.Location) (mlir.Operation, error) {
	return mlir.Create(in, mlir.OperationState{
		Name: "stablehlo.constant", Location: at,
		Attributes: []mlir.NamedAttribute{{Name: "value", Value: o.value}}, InferResults: true,
	})
}

func splatAttribute(t mlir.Type, v any) (mlir.Attribute, error) {
	ctx := t.Context()
	element, _ := t.Element()
	dtype, err := tensor.DTypeFromMLIR(element.String())
	if err != nil {
		return mlir.Attribute{}, fmt.Errorf("a Go number cannot become an element of type %s: give a Value", element)
	}
	n := reflect.ValueOf(v)
	misfit := func() (mlir.Attribute, error) {
		return mlir.Attribute{}, fmt.Errorf("the %T %v has no place in %s", v, v, dtype)
	}
	switch dtype {
	case tensor.Pred:
		if n.Kind() != reflect.Bool {
			return misfit()
		}
		return mlir.NewDenseSplat(t, n.Bool())
	case tensor.C64, tensor.C128:
		c, ok := asComplex(n)
		if !ok {
			return misfit()
		}
		if dtype == tensor.C64 {
			return mlir.NewDenseSplat(t, complex64(c))
		}
		return mlir.NewDenseSplat(t, c)
	}
	if _, isFloat := element.FloatKind(); isFloat {
		f, ok := asFloat(n)
		if !ok || !hasPlace(f, dtype) {
			return misfit()
		}
		return ctx.DenseFromAttributes(t, ctx.FloatAttribute(element, f))
	}
	i, ok := asInteger(n)
	if width, signedness, isInteger := element.IntegerWidth(); !ok || !isInteger || !fitsInteger(i, width, signedness == mlir.Unsigned) {
		return misfit()
	}
	a, err := ctx.BigIntegerAttribute(element, i)
	if err != nil {
		return mlir.Attribute{}, err
	}
	return ctx.DenseFromAttributes(t, a)
}

// floats are the greatest finite number of each floating point type, and what it has
// beside finite numbers (StableHLO specification, section Types, and the papers it names).
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
	tensor.F8E8M0FNU:     {0x1p127, false, false}, // it has a NaN, of which some MLIR libraries make infinity
}

// hasPlace reports whether a number is one of the type, but for rounding.
func hasPlace(v float64, d tensor.DType) bool {
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

// asInteger takes floating point numbers too where they are whole, such as 2.0.
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
