package quantized

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/chlo"
)

// An emitter adds the operations that take the place of another one.
type emitter struct {
	*mlir.Builder
	*expander
}

func (x *expander) before(op mlir.Operation) emitter {
	return emitter{mlir.NewBuilder(mlir.Before(op), op.Location()), x}
}

// number returns the numbers that stored integers represent, or another value as it is.
func (e emitter) number(v mlir.Value) mlir.Value {
	q, ok := e.numbers[v]
	if !ok {
		return v
	}
	return e.dequantize(v, q)
}

// dequantize returns (v - zero point) · scale.
func (e emitter) dequantize(v mlir.Value, q stablehlo.Quantized) mlir.Value {
	v = e.centered(v, q)
	v = stablehlo.Convert(e.Builder, e.with(v.Type(), q.Expressed), v)
	return chlo.BroadcastMultiply(e.Builder, v, e.steps(v, q, numbers(q.Scales)))
}

// centered returns v - zero point, as wider integers if that is not v.
func (e emitter) centered(v mlir.Value, q stablehlo.Quantized) mlir.Value {
	if isZero(q) {
		return v
	}
	wide := e.Context().IntegerType(min(64, max(32, 2*q.Bits)), mlir.Signless)
	v = stablehlo.Convert(e.Builder, e.with(v.Type(), wide), v)
	return chlo.BroadcastSubtract(e.Builder, v, e.steps(v, q, integers(q.ZeroPoints)))
}

// quantize returns the stored integers that represent numbers best: v / scale + zero point, in their range, rounded to
// even ones.
func (e emitter) quantize(v mlir.Value, q stablehlo.Quantized) mlir.Value {
	b := e.Builder
	v = chlo.BroadcastDivide(b, v, e.steps(v, q, numbers(q.Scales)))
	if !isZero(q) {
		zeros := make([]float64, len(q.ZeroPoints))
		for i, z := range q.ZeroPoints {
			zeros[i] = float64(z)
		}
		v = chlo.BroadcastAdd(b, v, e.steps(v, q, numbers(zeros)))
	}
	low, high := limits(q)
	v = stablehlo.Clamp(b, e.constant(q.Expressed, "", numbers([]float64{low})[0]), v,
		e.constant(q.Expressed, "", numbers([]float64{high})[0]))
	return stablehlo.Convert(b, e.with(v.Type(), storage(e.Context(), q)), stablehlo.RoundNearestEven(b, v))
}

// limits returns the range of the stored integers.
func limits(q stablehlo.Quantized) (low, high float64) {
	switch {
	case q.Min != 0 || q.Max != 0:
		return float64(q.Min), float64(q.Max)
	case q.Unsigned:
		return 0, math.Ldexp(1, q.Bits) - 1
	}
	return -math.Ldexp(1, q.Bits-1), math.Ldexp(1, q.Bits-1) - 1
}

func isZero(q stablehlo.Quantized) bool {
	return !slices.ContainsFunc(q.ZeroPoints, func(z int64) bool { return z != 0 })
}

// steps returns a constant that is broadcast to an array of elements of its type: a number, or one for each index of
// the axis.
func (e emitter) steps(v mlir.Value, q stablehlo.Quantized, list []string) mlir.Value {
	element, _ := v.Type().Element()
	if !q.PerAxis {
		return e.constant(element, "", list[0])
	}
	sizes, _ := v.Type().Dims()
	behind := max(0, len(sizes)-1-q.Axis)
	for i, text := range list {
		list[i] = strings.Repeat("[", behind) + text + strings.Repeat("]", behind)
	}
	return e.constant(element, fmt.Sprintf("%dx%s", len(list), strings.Repeat("1x", behind)),
		"["+strings.Join(list, ", ")+"]")
}

func (e emitter) constant(element mlir.Type, dims, text string) mlir.Value {
	value := e.Attribute(fmt.Sprintf("dense<%s> : tensor<%s%s>", text, dims, element))
	t, _ := value.Type()
	return e.Create(mlir.OperationState{Name: "stablehlo.constant", Results: []mlir.Type{t},
		Attributes: []mlir.NamedAttribute{{Name: "value", Value: value}}}).Result(0)
}

// numbers returns floats as MLIR reads them, which wants a point before an exponent.
func numbers(list []float64) []string {
	texts := make([]string, len(list))
	for i, v := range list {
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
		if !strings.Contains(mantissa, ".") {
			mantissa += ".0"
		}
		texts[i] = mantissa + "e" + exponent
	}
	return texts
}

func integers(list []int64) []string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = strconv.FormatInt(v, 10)
	}
	return texts
}
