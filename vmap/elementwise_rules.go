package vmap

import (
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// elementwise has the operations that work on each element, or on the last dimensions.
var elementwise = []string{
	"stablehlo.abs", "stablehlo.add", "stablehlo.and", "stablehlo.atan2", "stablehlo.bitcast_convert", "stablehlo.cbrt",
	"stablehlo.ceil", "stablehlo.compare", "stablehlo.complex", "stablehlo.convert", "stablehlo.cosine",
	"stablehlo.count_leading_zeros", "stablehlo.divide", "stablehlo.exponential", "stablehlo.exponential_minus_one",
	"stablehlo.floor", "stablehlo.imag", "stablehlo.is_finite", "stablehlo.log", "stablehlo.log_plus_one",
	"stablehlo.logistic", "stablehlo.maximum", "stablehlo.minimum", "stablehlo.multiply", "stablehlo.negate",
	"stablehlo.not", "stablehlo.or", "stablehlo.popcnt", "stablehlo.power", "stablehlo.real",
	"stablehlo.reduce_precision", "stablehlo.remainder", "stablehlo.round_nearest_afz", "stablehlo.round_nearest_even",
	"stablehlo.rsqrt", "stablehlo.shift_left", "stablehlo.shift_right_arithmetic", "stablehlo.shift_right_logical",
	"stablehlo.sign", "stablehlo.sine", "stablehlo.sqrt", "stablehlo.subtract", "stablehlo.tan", "stablehlo.tanh",
	"stablehlo.uniform_dequantize", "stablehlo.uniform_quantize", "stablehlo.xor",

	"chlo._asin_acos_kernel", "chlo.acos", "chlo.acosh", "chlo.asin", "chlo.asinh", "chlo.atan", "chlo.atanh",
	"chlo.bessel_i1e", "chlo.conj", "chlo.constant_like", "chlo.cosh", "chlo.digamma", "chlo.erf", "chlo.erf_inv",
	"chlo.erfc", "chlo.is_inf", "chlo.is_neg_inf", "chlo.is_pos_inf", "chlo.lgamma", "chlo.next_after",
	"chlo.mulhi", "chlo.polygamma", "chlo.sinh", "chlo.square", "chlo.tan", "chlo.top_k", "chlo.zeta",

	"stablehlo.cholesky", "stablehlo.fft",
}

// expanded has the elementwise operations that allow scalars beside arrays, or arrays of different shapes.
var expanded = map[string]rule{
	"stablehlo.clamp": func(b *batcher, op mlir.Operation) []mlir.Value {
		return b.apply(op, []mlir.Value{b.beside(op, 0, 1), b.full(op.Operand(1)), b.beside(op, 2, 1)})
	},
	"stablehlo.select": func(b *batcher, op mlir.Operation) []mlir.Value {
		return b.apply(op, []mlir.Value{b.beside(op, 0, 1), b.full(op.Operand(1)), b.full(op.Operand(2))})
	},
	"stablehlo.map": func(b *batcher, op mlir.Operation) []mlir.Value {
		return b.apply(op, b.all(op), b.ints("dimensions", transform.UpTo(transform.Rank(op.Result(0))+1)))
	},
	"stablehlo.optimization_barrier": func(b *batcher, op mlir.Operation) []mlir.Value {
		operands := op.OperandValues()
		for i, v := range operands {
			operands[i] = b.get(v)
		}
		return b.Op(stablehlo.OptimizationBarrierOp{Operand: operands}).ResultValues()
	},
}

func init() {
	for _, name := range []string{
		"add", "and", "atan2", "compare", "complex", "divide", "maximum", "minimum", "multiply", "next_after", "or",
		"polygamma", "power", "remainder", "select", "shift_left", "shift_right_arithmetic", "shift_right_logical",
		"subtract", "xor", "zeta",
	} {
		expanded["chlo.broadcast_"+name] = broadcasting
	}
}

// beside returns the batch of an operand that may be a scalar beside another operand. A scalar that is not
// batched stays one.
func (b *batcher) beside(op mlir.Operation, i, other int) mlir.Value {
	v, like := op.Operand(i), op.Operand(other)
	switch {
	case transform.Rank(v) > 0 || transform.Rank(like) == 0 && b.batched(v):
		return b.full(v)
	case !b.batched(v):
		return b.get(v)
	}
	return b.Broadcast(b.get(v), []int64{0}, first(b.size, transform.Dims(like))...)
}

// broadcasting gives the operands of an operation that broadcasts them the shape of its result.
func broadcasting(b *batcher, op mlir.Operation) []mlir.Value {
	shape := transform.Dims(op.Result(0))
	operands := op.OperandValues()
	least := len(shape)
	for _, v := range operands {
		least = min(least, transform.Rank(v))
	}
	for i, v := range operands {
		to := transform.UpTo(len(shape))[len(shape)-transform.Rank(v):]
		if a, ok := op.Attribute("broadcast_dimensions"); ok && transform.Rank(v) == least && least < len(shape) {
			to, _ = mlir.DenseArrayOf[int64](a)
		}
		x := b.get(v)
		if b.batched(v) {
			to = first(0, after(to))
			operands[i] = b.Broadcast(x, to, first(b.size, shape)...)
		} else {
			operands[i] = b.Broadcast(x, after(to), first(b.size, shape)...)
		}
	}
	made := b.copy(op)
	made.RemoveAttribute("broadcast_dimensions")
	made.SetOperands(operands...)
	made.Result(0).SetType(b.typeOf(op.Result(0).Type()))
	return made.ResultValues()
}
