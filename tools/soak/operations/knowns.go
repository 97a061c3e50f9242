package operations

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
	"github.com/calliope-mlir/calliope/tensor"
)

// Pages of docs, which give the reasons.
const (
	deviates  = "docs/reference/xla-deviations.md, "
	compiled  = "docs/jit.md, What is compiled"
	tableOf   = "docs/reference/stablehlo-ops.md"
	specifies = "StableHLO's specification, "
)

// knowns are what is known. One that did not occur in a long run is reported.
var knowns = slices.Concat(refusals, differences)

// refusals are what engines do not support.
var refusals = []*known{
	{on: "interpreter", what: "refuses", ops: "batch_norm_grad batch_norm_inference batch_norm_training cholesky fft " +
		"real_dynamic_slice rng_bit_generator torch_index_select triangular_solve", apart: true, sure: true,
		says: "the interpreter does not support this operation", why: tableOf + " [2]"},
	{on: "interpreter", what: "refuses", ops: "rng", apart: true, internal: true,
		says: "failed to legalize operation 'stablehlo.rng'", why: tableOf + " [2]"},
	{on: "interpreter xla jit", what: "refuses", when: mentions("!quant"), internal: true,
		says: "failed to legalize operation", why: "stablehlo-legalize-quant-to-math lacks operations that only move elements"},
	{on: "interpreter", what: "refuses", ops: "einsum unary_einsum", apart: true, sure: true,
		says: "evaluating stablehlo.einsum", why: tableOf + " [2]"},
	{on: "interpreter", what: "refuses", ops: "chlo.broadcast_select", apart: true, sure: true,
		says: "evaluating shape.", why: "chlo-legalize-to-stablehlo leaves operations of the dialect shape"},
	{on: "interpreter", what: "refuses", ops: "map", internal: true,
		says: "failed to legalize operation 'stablehlo.map'",
		why:  "stablehlo-legalize-deprecated-ops, which the other operation needs, takes only elementwise maps"},
	{on: "interpreter", what: "refuses", when: mentions("f6E"), apart: true, sure: true,
		says: "does not support its", why: "package tensor has no f6"},
	{on: "interpreter", what: "refuses", when: mentions("<0x", "x0x"), says: "contracting dimension of size 0",
		why: "stablehlo.Evaluate"},
	{on: "interpreter", what: "refuses", ops: "select_and_scatter", says: "the interpreter repeats its initial value",
		why: "stablehlo.Evaluate"},
	{on: "interpreter", what: "refuses", ops: "dot dot_general convolution", says: "does not support a result of",
		why: "stablehlo.Evaluate"},

	{on: "interpreter", what: "refuses", ops: "chlo.top_k", types: "class:c", says: "does not order complex numbers",
		why: "stablehlo.Evaluate"},
	{on: "xla", what: "refuses", ops: "chlo.top_k", types: "class:c", internal: true, says: "complex comparison",
		why: "XLA does not order complex numbers"},

	{on: "jit", what: "refuses", when: mentions("!quant"), says: "there is no lowering for it",
		why: compiled},

	{on: "xla", what: "refuses", ops: "bitcast_convert", says: "XLA cannot compile a bitcast_convert",
		why: deviates + "Bits as an integer"},
	{on: "xla jit", what: "refuses", ops: "bitcast_convert", types: "class:c", says: "complex",
		why: "numbers of half the width are not the parts of a complex number"},
	{on: "xla", what: "refuses differs", when: mentions("f6E"), apart: true, internal: true,
		why: "XLA:CPU generates no code for f6"},
}

// differences are in what engines compute.
var differences = []*known{
	{on: "xla", what: "differs", shows: isFlushed, why: deviates + "Denormal numbers"},
	{on: "xla jit", what: "differs", when: mentions("f8E8M0FNU"), shows: orFlushed(isNotFinite),
		why: deviates + "Denormal numbers: 2^-127 is one of f32, and the type has no zero, so that it is NaN"},
	{on: "xla jit", what: "differs", ops: "batch_norm_training batch_norm_grad batch_norm_inference",
		shows: isNotFinite, why: specifies + "batch_norm_training: squares overflow, in some orders or types"},
	{on: "xla", what: "differs", types: "class:c", ops: "maximum minimum chlo.broadcast_maximum " +
		"chlo.broadcast_minimum map reduce scatter", why: deviates + "Extremes of complex numbers"},
	{on: "simplified", what: "differs", types: "class:f class:c class:8", ops: "divide chlo.broadcast_divide",
		when: hasReciprocal, shows: orFlushed(isClose), why: deviates + "Quotients by a constant"},
	{on: "simplified", what: "differs", types: "f32 bf16 f64", ops: "divide chlo.broadcast_divide",
		when: hasReciprocal, shows: orFlushed(isTimesZero), why: deviates + "Quotients by huge numbers"},
	{on: "simplified", what: "differs", types: "class:f class:8", ops: "remainder chlo.broadcast_remainder",
		when: follows("divide"), why: deviates + "Quotients by a constant: the remainder of one that is rounded otherwise"},
	{on: "simplified", what: "differs", types: "class:f class:c", ops: "divide chlo.broadcast_divide",
		when: follows("divide"), shows: isTimesZero, why: deviates + "Quotients of quotients"},
	{on: "simplified", what: "differs", types: "class:f", ops: "divide", when: follows("sqrt"), shows: isClose,
		why: deviates + "Quotients by a constant: also by the reciprocal of a root"},
	{on: "simplified", what: "differs", types: "f32", ops: "uniform_quantize", when: follows("divide"), shows: isStep,
		why: deviates + "Quotients by a constant: one in the middle of two quantized numbers is rounded to either"},
	{on: "xla jit", what: "differs", ops: "convolution dynamic_conv", when: isPadded, shows: isNotFinite,
		why: specifies + "convolution: padding is 0, and its product with infinity NaN; engines skip it"},
	{on: "simplified", what: "differs", types: "class:f class:c", ops: "add subtract multiply chlo.broadcast_add " +
		"chlo.broadcast_subtract chlo.broadcast_multiply", when: joinsConstants,
		why: deviates + "Sums and products with several constants"},
	{on: "xla", what: "differs", types: "class:f", ops: "add subtract chlo.broadcast_add chlo.broadcast_subtract",
		when: follows("multiply", "square"), shows: isClose, why: deviates + "Products that are added"},
	{on: "xla jit", what: "differs", ops: "chlo.zeta chlo.broadcast_zeta chlo.polygamma chlo.broadcast_polygamma " +
		"chlo.digamma", shows: isOutsideSeries,
		why: "engines sum the series in their own ways: they differ at poles, where a term is denormal, and for negative " +
			"numbers, of which the zeta function has no values"},
	{on: "xla jit", what: "differs", types: "class:c", shows: isNotFinite, ops: "power chlo.broadcast_power",
		why: "docs/reference/jit-deviations.md, Complex powers of zero"},
	{on: "xla jit", what: "differs", types: "class:c", shows: isNotFinite, ops: "abs atan2 cbrt cosine divide " +
		"convolution dot dot_general einsum " +
		"exponential exponential_minus_one log log_plus_one logistic multiply rsqrt sign sine sqrt tan tanh " +
		"chlo.acos chlo.acosh chlo.asin chlo.asinh chlo.atan chlo.atanh chlo.cosh chlo.sinh chlo.square chlo.tan " +
		"chlo.broadcast_atan2 chlo.broadcast_divide chlo.broadcast_multiply",
		why: "docs/reference/jit-deviations.md: which part of a complex number is NaN is open"},
	{on: "xla jit", what: "differs", types: "class:c", ops: "atan2 chlo.broadcast_atan2", shows: isSign,
		why: "a complex atan2 is on a branch cut, where signs depend on those of zeros"},
	{on: "xla jit", what: "differs", types: "f4E2M1FN", ops: "divide remainder power reduce_precision sqrt " +
		"rsqrt log log_plus_one tan atan2 chlo.broadcast_divide chlo.broadcast_remainder chlo.broadcast_power",
		why: specifies + "f4E2M1FN has no NaN and no infinity: what becomes of one is open"},
	{on: "interpreter", what: "differs", ops: "reduce_precision", when: mentions("mantissa_bits = 0"),
		shows: isNotFinite, why: "the interpreter makes infinity of a NaN without a mantissa"},
	{on: "xla", what: "differs", types: "f16", ops: "reduce_precision", shows: isZeroBelow(0x1p-14),
		why: deviates + "Denormal numbers: those with the exponents that are left are zeros"},
	{on: "interpreter", what: "differs", types: "class:c", ops: "log_plus_one", shows: isWithinPercent,
		why: "the interpreter adds 1 first, which loses digits next to -1"},
	{on: "xla jit", what: "differs", when: mentions("TOTALORDER", "bitcast_convert"), shows: isNaNBetween,
		why: "a NaN that an operation makes has any sign, and any other bits"},
	{on: "xla jit", what: "differs", ops: "fft", shows: isNotFiniteOrNoise,
		why: "sums with infinities are NaN in some orders, and others are rounded"},
	{on: "xla jit", what: "differs", ops: "triangular_solve cholesky", shows: isNotFinite,
		why: "sums with infinities are NaN in some orders"},
	{on: "xla", what: "differs", ops: "divide remainder chlo.broadcast_divide chlo.broadcast_remainder",
		types: "class:s class:u", when: dividesItself,
		why: specifies + "divide: a quotient by zero is open; XLA has x / x = 1"},
	{on: "xla jit", what: "differs", ops: "select_and_scatter", shows: isTied,
		why: specifies + "reduce: which of equal elements comes last is open"},
}

// mentions returns a condition that a line of the program has one of some parts.
func mentions(parts ...string) func(*program, int) bool {
	return func(p *program, _ int) bool { return slices.ContainsFunc(parts, p.contains) }
}

// hasConstant reports whether a program has a constant.
func hasConstant(p *program, _ int) bool { return len(p.constants) > 0 }

// hasReciprocal reports whether a quotient may be by a constant, or by a number that is broadcast.
func hasReciprocal(p *program, i int) bool {
	return hasConstant(p, i) || p.contains("broadcast_in_dim") || p.contains("chlo.broadcast_divide")
}

// joinsConstants reports whether an operation follows one of its kind, and both may have a constant operand.
func joinsConstants(p *program, i int) bool {
	return len(p.constants) > 1 && follows("add", "subtract", "multiply")(p, i)
}

// follows returns a condition that the operation before has such a name.
func follows(names ...string) func(*program, int) bool {
	return func(p *program, i int) bool {
		return i > 0 && slices.ContainsFunc(names, func(name string) bool {
			return strings.Contains(p.ops[i-1].name, name)
		})
	}
}

var operands = lazyregexp.New(`"\((%\S+), (%\S+)\)`)

// dividesItself reports whether both operands are the same value.
func dividesItself(p *program, i int) bool {
	return slices.ContainsFunc(p.lines, func(line string) bool {
		found := operands().FindStringSubmatch(line)
		return strings.Contains(line, `"`+p.ops[i].name+`"`) && found != nil && found[1] == found[2]
	})
}

var padding = lazyregexp.New(`((base_dilations|lhs_dilation) = array<i64: [^>]*[2-9]|padding = dense<[^>]*[1-9])`)

// isPadded reports whether a window may be over padding, or an array with gaps.
func isPadded(p *program, _ int) bool {
	return p.contains("dynamic_conv") || slices.ContainsFunc(p.lines, padding().MatchString)
}

// each reports whether a condition holds for all elements that differ.
func (p *program) each(f *finding, fits func(want, got [2]float64, d tensor.DType) bool) bool {
	for i, list := range f.want {
		for k, w := range list {
			g := f.got[i][k]
			if !w.Shape.Equal(g.Shape) {
				return false
			}
			for n := range w.Shape.NumElements() {
				if !same(w, g, n, p.inexact, p.reordered) &&
					!fits(progen.Floats(w, n), progen.Floats(g, n), w.Shape.DType) {
					return false
				}
			}
		}
	}
	return true
}

// isNotFinite reports whether all elements that differ are NaN or infinite in one of the results.
func isNotFinite(_ context.Context, _ *lane, p *program, f *finding) (bool, error) {
	return p.each(f, func(want, got [2]float64, _ tensor.DType) bool {
		for _, x := range []float64{want[0], want[1], got[0], got[1]} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return true
			}
		}
		return false
	}), nil
}

// A condition is one on how results of a program differ.
type condition = func(ctx context.Context, l *lane, p *program, f *finding) (bool, error)

// orFlushed returns a condition that one holds as it is, or for arguments without denormal numbers.
func orFlushed(shows condition) condition {
	return func(ctx context.Context, l *lane, p *program, f *finding) (bool, error) {
		if ok, err := shows(ctx, l, p, f); err != nil || ok {
			return ok, err
		}
		q, _ := p.flushed()
		g, err := l.compare(ctx, q, f)
		if err != nil || g == nil {
			return err == nil, err
		}
		return shows(ctx, l, q, g)
	}
}

// isNotFiniteOrNoise reports whether all elements that differ are not finite in one of the results, or do so by a
// small part of the largest one of the array.
func isNotFiniteOrNoise(_ context.Context, _ *lane, p *program, f *finding) (bool, error) {
	most := 1.
	for _, v := range slices.Concat(f.want...) {
		for n := range v.Shape.NumElements() {
			x := progen.Floats(v, n)
			if size := math.Hypot(x[0], x[1]); !math.IsInf(size, 0) && !math.IsNaN(size) {
				most = max(most, math.Abs(x[0]), math.Abs(x[1]))
			}
		}
	}
	return p.each(f, func(want, got [2]float64, d tensor.DType) bool {
		for i := range want {
			if math.Abs(want[i]-got[i]) > 64*epsilon[d]*most && !math.IsInf(want[i], 0) && !math.IsInf(got[i], 0) {
				return false
			}
		}
		return true
	}), nil
}

// isTied reports whether the results are the same if no elements of the first argument are equal.
func isTied(ctx context.Context, l *lane, p *program, f *finding) (bool, error) {
	q := *p
	q.inputs = nil
	for _, list := range p.inputs {
		list = slices.Clone(list)
		if len(list) > 0 {
			v, n := list[0].Clone(), list[0].Shape.NumElements()
			for i := range n { // in no order
				if (element{DType: v.Shape.DType}).is("su") {
					progen.SetInteger(v, i, int64(i*37%n))
				} else {
					progen.SetFloat(v, i, float64(i*37%n), 0)
				}
			}
			list[0] = v
		}
		q.inputs = append(q.inputs, list)
	}
	g, err := l.compare(ctx, &q, f)
	return err == nil && g == nil, err
}

// isOutsideSeries reports whether, for the absolute values of arguments without denormal numbers, elements differ
// only where a result is not finite, or is zero.
func isOutsideSeries(ctx context.Context, l *lane, p *program, f *finding) (bool, error) {
	q, _ := p.flushed()
	q, _ = q.with(absolute)
	g, err := l.compare(ctx, q, f)
	if err != nil || g == nil {
		return err == nil, err
	}
	return q.each(g, func(want, got [2]float64, _ tensor.DType) bool {
		for i := range want {
			d := want[i] - got[i]
			if d != 0 && got[i] != 0 && !math.IsNaN(d) && !math.IsInf(d, 0) {
				return false
			}
		}
		return true
	}), nil
}

// absolute returns an array of absolute values, and whether there are signs.
func absolute(v tensor.View) (tensor.View, bool) {
	if !(element{DType: v.Shape.DType}).is("f8") {
		return v, false
	}
	v = v.Clone()
	for i := range v.Shape.NumElements() {
		progen.SetFloat(v, i, math.Abs(progen.Floats(v, i)[0]), 0)
	}
	return v, true
}

// isNaNBetween reports whether the second operation takes a NaN from the first one.
func isNaNBetween(ctx context.Context, l *lane, p *program, f *finding) (bool, error) {
	if len(p.between) == 0 {
		return false, nil
	}
	q := *p
	q.results = p.between
	results, ok, err := l.results(ctx, &q, f.Reference)
	if err != nil || !ok {
		return false, err
	}
	for _, v := range slices.Concat(results...) {
		for n := range v.Shape.NumElements() {
			if x := progen.Floats(v, n); math.IsNaN(x[0]) || math.IsNaN(x[1]) {
				return true, nil
			}
		}
	}
	return false, nil
}

// isSign reports whether all elements that differ do so in signs, but for rounding.
func isSign(_ context.Context, _ *lane, p *program, f *finding) (bool, error) {
	return p.each(f, func(want, got [2]float64, d tensor.DType) bool {
		for i := range want {
			if w := math.Abs(want[i]); math.Abs(w-math.Abs(got[i])) > 8*epsilon[d]*max(1, w) {
				return false
			}
		}
		return true
	}), nil
}

// isClose reports whether all elements that differ do so in their last bits.
func isClose(_ context.Context, _ *lane, p *program, f *finding) (bool, error) {
	return p.each(f, func(want, got [2]float64, d tensor.DType) bool {
		for i := range want {
			if math.Abs(want[i]-got[i]) > 8*epsilon[d]*max(math.Abs(want[i]), math.Abs(got[i])) {
				return false
			}
		}
		return true
	}), nil
}

// isTimesZero reports whether all elements that differ do so in their last bits, or are what a product with zero is.
func isTimesZero(_ context.Context, _ *lane, p *program, f *finding) (bool, error) {
	return p.each(f, func(want, got [2]float64, d tensor.DType) bool {
		return got[0] == 0 || math.IsInf(want[0], 0) && math.IsNaN(got[0]) ||
			math.Abs(want[0]-got[0]) <= 8*epsilon[d]*max(math.Abs(want[0]), math.Abs(got[0]))
	}), nil
}

// isZeroBelow returns a condition that all elements that differ are zero, in place of one below a limit.
func isZeroBelow(limit float64) condition {
	return func(_ context.Context, _ *lane, p *program, f *finding) (bool, error) {
		return p.each(f, func(want, got [2]float64, _ tensor.DType) bool {
			return got[0] == 0 && math.Abs(want[0]) < limit
		}), nil
	}
}

// isWithinPercent reports whether all elements that differ do so by one in a hundred at most.
func isWithinPercent(_ context.Context, _ *lane, p *program, f *finding) (bool, error) {
	return p.each(f, func(want, got [2]float64, _ tensor.DType) bool {
		return math.Hypot(want[0]-got[0], want[1]-got[1]) <= 0.01*math.Hypot(want[0], want[1])
	}), nil
}

// isStep reports whether all elements that differ do so by the scale of a quantized type, at most.
func isStep(_ context.Context, _ *lane, p *program, f *finding) (bool, error) {
	return p.each(f, func(want, got [2]float64, _ tensor.DType) bool { return math.Abs(want[0]-got[0]) <= 0.5 }), nil
}

// epsilon are the distances of 1 to the next number.
var epsilon = map[tensor.DType]float64{tensor.F64: 0x1p-52, tensor.C128: 0x1p-52, tensor.F32: 0x1p-23,
	tensor.C64: 0x1p-23, tensor.BF16: 0x1p-7, tensor.F16: 0x1p-10}
