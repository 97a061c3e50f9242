package xlafix

import (
	"math"

	"github.com/calliope-mlir/calliope/mlir"
)

// An interval is a range of integers, both ends included.
type interval struct{ least, most int64 }

var anyInteger = interval{math.MinInt64, math.MaxInt64}

func (s interval) union(other interval) interval {
	return interval{min(s.least, other.least), max(s.most, other.most)}
}

// largestRead is the number of elements of a constant that rangeOf reads.
const largestRead = 1 << 12

// rangeOf returns a range of the elements of integers: of those at index k of a dimension, or, if the dimension is
// negative, of all.
func rangeOf(v mlir.Value, dimension int, k int64) interval {
	return (&ranger{left: 1 << 10}).of(v, dimension, k)
}

// A ranger finds ranges in a number of steps: values that use another one twice have more paths to it than one can go.
type ranger struct{ left int }

func (r *ranger) of(v mlir.Value, dimension int, k int64) interval {
	if r.left--; r.left < 0 {
		return anyInteger
	}
	element, _ := v.Type().Element()
	bits, sign, ok := element.IntegerWidth()
	if !v.IsResult() || !ok || sign == mlir.Unsigned || bits == 1 {
		return anyInteger
	}
	if dims, _ := v.Type().Dims(); dimension >= len(dims) { // a scalar bound of clamp
		dimension = -1
	}
	op := v.Owner()
	of := func(i int) interval { return r.of(op.Operand(i), dimension, k) }
	switch op.Name() {
	case "stablehlo.constant", "arith.constant":
		return constantRange(op, dimension, k)
	case "stablehlo.iota":
		n, _ := v.Type().NumElements()
		if bits < 64 && n > 1<<(bits-1) {
			return anyInteger // it may wrap
		}
		return interval{0, n}
	case "stablehlo.convert":
		from := of(0)
		if bits < 64 && (from.least < -1<<(bits-1) || from.most > 1<<(bits-1)-1) {
			return anyInteger
		}
		return from
	case "stablehlo.add":
		x, y := of(0), of(1)
		const small = 1 << 30 // so that no sum wraps
		if bits < 32 || min(x.least, y.least) < -small || max(x.most, y.most) > small {
			return anyInteger
		}
		return interval{x.least + y.least, x.most + y.most}
	case "stablehlo.clamp":
		low, high := of(0), of(2)
		return interval{min(low.least, high.least), high.most}
	case "stablehlo.minimum":
		x, y := of(0), of(1)
		return interval{min(x.least, y.least), min(x.most, y.most)}
	case "stablehlo.maximum":
		x, y := of(0), of(1)
		return interval{max(x.least, y.least), max(x.most, y.most)}
	case "stablehlo.broadcast_in_dim":
		at, _ := op.Attribute("broadcast_dimensions")
		list, _ := at.Int64s()
		dims, _ := op.Operand(0).Type().Dims()
		for i, d := range list {
			switch {
			case int(d) != dimension:
			case dims[i] == 1:
				return r.of(op.Operand(0), i, 0)
			default:
				return r.of(op.Operand(0), i, k)
			}
		}
		return r.of(op.Operand(0), -1, 0)
	case "stablehlo.concatenate":
		at, _ := op.Attribute("dimension")
		along, _ := at.Int()
		all, first := interval{math.MaxInt64, math.MinInt64}, int64(0)
		for i := range op.NumOperands() {
			dims, _ := op.Operand(i).Type().Dims()
			switch {
			case int(along) != dimension:
				all = all.union(of(i))
			case first <= k && k < first+dims[along]:
				return r.of(op.Operand(i), dimension, k-first)
			}
			first += dims[along]
		}
		return all
	}
	return anyInteger
}

// constantRange is rangeOf for a constant.
func constantRange(op mlir.Operation, dimension int, k int64) interval {
	value, _ := op.Attribute("value")
	dims, _ := op.Result(0).Type().Dims()
	n, static := op.Result(0).Type().NumElements()
	if !static || !value.IsSplat() && n > largestRead {
		return anyInteger
	}
	if value.IsSplat() {
		n = 1
	}
	all := interval{math.MaxInt64, math.MinInt64}
	for i := range n {
		at := make([]int64, len(dims))
		rest := i
		for d := len(dims) - 1; d >= 0; d-- {
			at[d], rest = rest%dims[d], rest/dims[d]
		}
		if dimension >= 0 && at[dimension] != k && !value.IsSplat() {
			continue
		}
		element, _ := value.ElementAt(at...)
		x, ok := element.Int()
		if !ok {
			return anyInteger
		}
		all = all.union(interval{x, x})
	}
	return all
}
