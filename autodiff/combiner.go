package autodiff

import (
	"math"
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// second is the combiner that returns its second argument.
const second = "second"

// combiner returns the name of the operation that the body of a reduction or scatter applies to its two
// arguments, or second, or "" for any other body.
func combiner(r mlir.Region) string {
	b := r.First()
	if b.NumArguments() != 2 {
		return ""
	}
	result := b.Terminator().Operand(0)
	for result.IsResult() && result.Owner().Name() == "sdy.sharding_constraint" { // JAX puts them everywhere
		result = result.Owner().Operand(0)
	}
	switch {
	case result == b.Argument(1):
		return second
	case !result.IsResult() || result.Owner() != b.First() || result.Owner().NumOperands() != 2:
		return ""
	}
	op := result.Owner()
	x, y := op.Operand(0), op.Operand(1)
	if x == b.Argument(0) && y == b.Argument(1) || x == b.Argument(1) && y == b.Argument(0) {
		return op.Name()
	}
	return ""
}

// combineAll applies the body of a reduction, made for scalars, to each element of arrays of one shape. It
// creates the operations of the body for arrays.
func (e *emitter) combineAll(of mlir.Operation, body mlir.Block, arrays []mlir.Value) (results []mlir.Value) {
	shape := transform.Dims(arrays[0])
	at := map[mlir.Value]mlir.Value{}
	for i, v := range body.Arguments() {
		at[v] = arrays[i]
	}
	get := func(v mlir.Value) mlir.Value {
		if with, ok := at[v]; ok {
			return with
		}
		return e.Broadcast(v, nil, shape...) // from outside
	}
	for _, op := range transform.Operations(body) {
		if op.Name() == "stablehlo.constant" {
			at[op.Result(0)] = e.Broadcast(e.Clone(op).Result(0), nil, shape...)
			continue
		}
		if op.NumRegions() > 0 || op.NumResults() != 1 || transform.Rank(op.Result(0)) != 0 {
			transform.Fail(of, "the derivative of a body with %s is not known", op.Name())
		}
		s := mlir.OperationState{
			Name: op.Name(), Location: op.Location(),
			Results: []mlir.Type{transform.Must(e.Context.TensorType(transform.Element(op.Result(0).Type()),
				shape...))},
		}
		for _, v := range op.Operands() {
			s.Operands = append(s.Operands, get(v))
		}
		for name, a := range op.Attributes() {
			s.Attributes = append(s.Attributes, mlir.NamedAttribute{Name: name, Value: a})
		}
		at[op.Result(0)] = transform.Must(mlir.Create(mlir.Before(e.Before), s)).Result(0)
	}
	for _, v := range body.Terminator().Operands() {
		results = append(results, get(v))
	}
	return results
}

// reduceAll reduces the first dimension of arrays, after the initial values, by combining neighbours until one
// element is left. The body must be associative, and need not be commutative. The one of a product is left out: its
// tangent 0 times an infinite element is NaN.
func (e *emitter) reduceAll(of mlir.Operation, body mlir.Region, arrays, initial []mlir.Value) []mlir.Value {
	rest := transform.Dims(arrays[0])[1:]
	if transform.Dims(arrays[0])[0] == 0 || !isIdentity(body, initial[0]) {
		for i, v := range arrays {
			arrays[i] = e.concatenate(e.Broadcast(initial[i], nil, append([]int64{1}, rest...)...), v)
		}
	}
	for transform.Dims(arrays[0])[0] > 1 {
		n := transform.Dims(arrays[0])[0]
		var even, odd []mlir.Value
		for _, v := range arrays {
			even, odd = append(even, e.rows(v, 0, n-n%2, 2)), append(odd, e.rows(v, 1, n, 2))
		}
		combined := e.combineAll(of, body.First(), append(even, odd...))
		if n%2 == 1 {
			for i, v := range combined {
				combined[i] = e.concatenate(v, e.rows(arrays[i], n-1, n, 1))
			}
		}
		arrays = combined
	}
	for i, v := range arrays {
		arrays[i] = e.Reshape(v, rest...)
	}
	return arrays
}

// isIdentity reports whether combining a value with an initial one is known to be the value.
func isIdentity(body mlir.Region, initial mlir.Value) bool {
	kind := combiner(body)
	if choice, ok := extremes[kind]; ok {
		return isInfinite(initial, choice.sign)
	}
	if kind == "stablehlo.multiply" {
		return isOne(initial)
	}
	result := body.First().Terminator().Operand(0)
	if kind != "" || !result.IsResult() || body.First().NumArguments() != 2 {
		return false
	}
	_, isLogAddExp := asLogAddExp(result.Owner())
	return isLogAddExp && isInfinite(initial, -1)
}

// scan returns the combinations of all rows up to each one, in the order of JAX's associative_scan, which decides how
// equal elements share a derivative.
func (e *emitter) scan(of mlir.Operation, body mlir.Block, x mlir.Value) mlir.Value {
	n := transform.Dims(x)[0]
	if n < 2 {
		return x
	}
	combine := func(x, y mlir.Value) mlir.Value { return e.combineAll(of, body, []mlir.Value{x, y})[0] }
	odd := e.scan(of, body, combine(e.rows(x, 0, n-1, 2), e.rows(x, 1, n, 2)))
	even := e.rows(x, 0, 1, 1)
	if n > 2 {
		even = e.concatenate(even, combine(e.rows(odd, 0, (n-1)/2, 1), e.rows(x, 2, n, 2)))
	}
	// Each odd one after the even one before it.
	half, rest := n/2, transform.Dims(x)[1:]
	pairs := e.Do(stablehlo.ConcatenateOp{Dimension: 1, Inputs: []mlir.Value{
		e.Reshape(e.rows(even, 0, half, 1), append([]int64{half, 1}, rest...)...),
		e.Reshape(odd, append([]int64{half, 1}, rest...)...),
	}})
	all := e.Reshape(pairs, append([]int64{2 * half}, rest...)...)
	if n%2 == 1 {
		all = e.concatenate(all, e.rows(even, half, half+1, 1))
	}
	return all
}

// rows returns the elements of the first dimension from start to limit, by a stride.
func (e *emitter) rows(x mlir.Value, start, limit, stride int64) mlir.Value {
	starts, limits, strides := make([]int64, transform.Rank(x)), slices.Clone(transform.Dims(x)),
		transform.Ones(transform.Rank(x))
	starts[0], limits[0], strides[0] = start, limit, stride
	return e.Slice(x, starts, limits, strides)
}

// concatenate joins arrays along the first dimension.
func (e *emitter) concatenate(parts ...mlir.Value) mlir.Value {
	return e.Do(stablehlo.ConcatenateOp{Inputs: parts})
}

// isInfinite reports whether a value is a constant of infinities of a sign.
func isInfinite(v mlir.Value, sign int) bool {
	x, ok := splat(v)
	return ok && math.IsInf(x, sign)
}
