package lower

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// lowerLogPlusOne computes log(1+x) with a correction of the rounding of 1+x. MLIR's pass leaves it out.
func lowerLogPlusOne(e *emitter) error {
	return e.inFloat32(func(x mlir.Value) mlir.Value {
		b := e.Builder
		one := e.like(x, 1)
		sum := stablehlo.Add(b, one, x)
		log := stablehlo.Log(b, sum)
		rounded := stablehlo.Subtract(b, sum, one)
		corrected := stablehlo.Multiply(b, log, stablehlo.Divide(b, x, rounded))
		tiny := e.compare(sum, one, stablehlo.CompareEQ)
		infinite := e.compare(sum, x, stablehlo.CompareEQ) // or so large that nothing is lost
		return stablehlo.Select(b, tiny, x, stablehlo.Select(b, infinite, log, corrected))
	})
}

// lowerExponentialMinusOne computes exp(x)-1, which loses digits near 0, by tanh(x/2) there. It is x if the square of x
// changes no digit: half of a denormal number would lose one.
func lowerExponentialMinusOne(e *emitter) error {
	return e.inFloat32(func(x mlir.Value) mlir.Value {
		b := e.Builder
		one, half := e.like(x, 1), e.like(x, 0.5)
		exp := stablehlo.Exponential(b, x)
		tanh := stablehlo.Tanh(b, stablehlo.Multiply(b, x, half))
		near := stablehlo.Multiply(b, tanh, stablehlo.Add(b, exp, one))
		size := stablehlo.Abs(b, x)
		near = stablehlo.Select(b, e.compare(size, e.like(x, 0x1p-55), stablehlo.CompareLT), x, near)
		return stablehlo.Select(b, e.compare(size, half, stablehlo.CompareLT), near, stablehlo.Subtract(b, exp, one))
	})
}

// inFloat32 replaces an operation on floats by what f makes of its operand. Narrower types are converted to f32 for it,
// and complex ones are left as they are.
func (e *emitter) inFloat32(f func(x mlir.Value) mlir.Value) error {
	x := e.op.Operand(0)
	if _, ok := e.elementOf(x).FloatKind(); !ok {
		return nil // MLIR's pass has what complex ones need
	}
	wide := e.widened(x)
	y := f(wide)
	if !wide.Equal(x) {
		y = stablehlo.Convert(e.Builder, x.Type(), y)
	}
	return e.replace([]mlir.Value{y})
}

// widened returns floats as f32 if their type is narrower.
func (e *emitter) widened(x mlir.Value) mlir.Value {
	if kind, _ := e.elementOf(x).FloatKind(); kind.Bits() >= 32 {
		return x
	}
	return stablehlo.Convert(e.Builder, e.tensorOf(e.Context().F32Type(), dims(x)...), x)
}

// like returns a constant of the type of x, whose elements are all v.
func (e *emitter) like(x mlir.Value, v float64) mlir.Value {
	if e.Err() != nil {
		return x
	}
	return e.filled(x.Type(), v)
}

// filled returns a constant of floats, whose elements are all v.
func (e *emitter) filled(t mlir.Type, v float64) mlir.Value {
	elem, _ := t.Element()
	if elem.IsNil() {
		return mlir.Value{} // after an error
	}
	value, err := e.Context().DenseFromAttributes(t, e.Context().FloatAttribute(elem, v))
	e.Fail(err)
	if err != nil {
		return mlir.Value{}
	}
	return e.constant(value)
}

func (e *emitter) compare(x, y mlir.Value, how stablehlo.ComparisonDirection) mlir.Value {
	return stablehlo.CompareOp{LHS: x, RHS: y, ComparisonDirection: how}.Create(e.Builder).Result(0)
}
