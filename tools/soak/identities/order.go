package identities

import (
	"math"
	"slices"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

// A format is what limits the numbers of a type.
type format struct {
	rounding float64 // the largest relative error
	exponent float64 // of the largest number, and about that of the smallest normal one
}

var formats = map[tensor.DType]format{tensor.F64: {0x1p-53, 1023}, tensor.F32: {0x1p-24, 127},
	tensor.BF16: {0x1p-8, 127}, tensor.F16: {0x1p-11, 14}}

// dependsOnOrder reports whether an expression has a reduction that may have quite another value in another order:
// because a part of it overflows, or because almost nothing is left of a sum. values are those of the parts.
func dependsOnOrder(e *expression, values map[*expression]tensor.View) bool {
	depends := false
	e.each(func(part *expression) {
		f, ok := formats[part.t]
		if !ok {
			return
		}
		term := func(i int) float64 { v, _ := number(values[part.args[0]].At(i)); return v }
		switch part.op {
		case "sum":
			depends = depends || f.dependsSum(part.t, term)
		case "dot":
			depends = depends || f.dependsSum(part.t, func(i int) float64 {
				y, _ := number(values[part.args[1]].At(i))
				return term(i) * y
			})
		case "multiply_of":
			depends = depends || f.dependsProduct(term)
		}
	})
	return depends
}

// roundingError returns how much an element of an expression may differ, relatively and to first order, because
// libraries round inexact operations in their own ways: an inexact operation has four roundings, and one that depends
// on it has one. A power multiplies the error of its base by the exponent, an exponential that of its operand by the
// operand, and a logarithm divides it by itself, so it is large if the logarithm is near zero.
func roundingError(e *expression, values map[*expression]tensor.View, i int) float64 {
	if e.isExact() || !progen.IsFloat(e.t) {
		return 0
	}
	value := func(e *expression) float64 { v, _ := number(values[e].At(i)); return math.Abs(v) }
	grown := func(arg int, factor float64) float64 {
		of := roundingError(e.args[arg], values, i)
		if of == 0 {
			return 0
		}
		return of * factor
	}
	own := formats[e.t].rounding
	if slices.Contains(inexact, e.op) {
		own *= 4
	}
	switch e.op {
	case "multiply", "divide":
		return own + grown(0, 1) + grown(1, 1)
	case "sqrt", "rsqrt":
		return own + grown(0, 0.5)
	case "log":
		return own + grown(0, 1/value(e))
	case "exponential":
		if x := value(e.args[0]); !math.IsInf(x, 0) {
			return own + grown(0, x)
		}
		return own
	case "power":
		return own + grown(0, value(e.args[1])) + grown(1, value(e.args[1])*math.Abs(math.Log(value(e.args[0]))))
	}
	most := 0.0
	for arg := range e.args {
		most = max(most, grown(arg, 1))
	}
	return own + most
}

func (f format) dependsSum(t tensor.DType, term func(int) float64) bool {
	sum, size := 0.0, 0.0
	for i := range length {
		x := term(i)
		if math.IsNaN(x) {
			return false
		}
		sum += x
		if !math.IsInf(x, 0) {
			size += math.Abs(x)
		}
	}
	if math.Log2(size) >= f.exponent {
		return true
	}
	// Errors of roundings rarely all have the same sign.
	return !math.IsInf(sum, 0) && size*f.rounding*length/4 > progen.Tolerance[t]*math.Abs(sum)
}

func (f format) dependsProduct(term func(int) float64) bool {
	up, down := 0.0, 0.0
	for i := range length {
		switch x := math.Abs(term(i)); {
		case math.IsNaN(x):
			return false
		case x > 0 && !math.IsInf(x, 0):
			up += max(0, math.Log2(x))
			down -= min(0, math.Log2(x))
		}
	}
	return max(up, down) >= f.exponent
}
