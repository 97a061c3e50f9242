package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// bounds gives arrays of which a size is a value of the run, by set_dimension_size, their largest sizes, and keeps the
// values beside them. Reductions then leave out the elements beyond. Operations on single elements need not, and others
// are refused.
func bounds(m *mlir.Module) (n int, err error) {
	if !m.Operation().Index().Has("stablehlo.set_dimension_size") {
		return 0, nil
	}
	b := bounded{}
	for _, op := range slices.Collect(m.Operation().All()) {
		takes := slices.ContainsFunc(op.OperandValues(), func(v mlir.Value) bool { return len(b[v]) > 0 })
		if !takes && op.Name() != "stablehlo.set_dimension_size" {
			continue
		}
		if err := b.lower(op); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// bounded has the sizes that are values, by array and dimension.
type bounded map[mlir.Value]map[int64]mlir.Value

// perElement are the operations that compute each element of the result from one of each operand.
var perElement = strings.Fields(`abs add and atan2 cbrt ceil clamp compare complex convert cosine count_leading_zeros
	divide exponential exponential_minus_one floor imag is_finite log log_plus_one logistic maximum minimum multiply negate
	not or popcnt power real reduce_precision remainder round_nearest_afz round_nearest_even rsqrt select shift_left
	shift_right_arithmetic shift_right_logical sign sine sqrt subtract tan tanh xor`)

func (b bounded) lower(op mlir.Operation) error {
	e := rewrite.Before(op)
	name := strings.TrimPrefix(op.Name(), "stablehlo.")
	switch {
	case name == "set_dimension_size":
		o, _ := stablehlo.AsSetDimensionSize(op)
		whole := stablehlo.Reshape(e.Builder, atMost(op.Result(0).Type()), o.Operand) // an array of its own
		b[whole] = maps.Clone(b[o.Operand])
		if b[whole] == nil {
			b[whole] = map[int64]mlir.Value{}
		}
		b[whole][o.Dimension] = o.Size
		return b.replace(e, op, whole)
	case name == "get_dimension_size":
		o, _ := stablehlo.AsGetDimensionSize(op)
		if size, ok := b[o.Operand][o.Dimension]; ok {
			return b.replace(e, op, size)
		}
		return nil
	case name == "reduce":
		return b.reduce(e, op)
	case slices.Contains(perElement, name):
		var sizes map[int64]mlir.Value
		for _, v := range op.OperandValues() {
			if isScalar(v.Type()) {
				continue
			}
			if sizes != nil && !maps.Equal(b[v], sizes) || len(b[v]) == 0 {
				return Refuse(op, differ)
			}
			sizes = b[v]
		}
		b.give(op, sizes)
		return nil
	}
	return Refuse(op, "it takes an array whose size is a value of the run: reduce that before, or mask the elements "+
		"beyond the size and use the largest one")
}

// replace replaces an operation by a value.
func (b bounded) replace(e rewrite.Emitter, op mlir.Operation, v mlir.Value) error {
	if e.Err() != nil {
		return e.Err()
	}
	op.Result(0).ReplaceAllUses(v)
	return op.Erase()
}

// give gives the results of an operation sizes.
func (b bounded) give(op mlir.Operation, sizes map[int64]mlir.Value) {
	for _, r := range op.ResultValues() {
		r.SetType(atMost(r.Type()))
		b[r] = sizes
	}
}

const differ = "its operands have sizes that are different values of the run: set them to one of these"

// reduce puts initial values in the place of the elements beyond the sizes.
func (b bounded) reduce(e rewrite.Emitter, op mlir.Operation) error {
	o, ok := stablehlo.AsReduce(op)
	if !ok {
		return errMalformed
	}
	i32 := e.Context().IntegerType(32, mlir.Signless)
	sizes := b[o.Inputs[0]]
	for i, x := range o.Inputs {
		if !maps.Equal(b[x], sizes) {
			return Refuse(op, differ)
		}
		initial := stablehlo.BroadcastInDim(e.Builder, x.Type(), o.InitValues[i], nil)
		for _, d := range o.Dimensions {
			size, ok := sizes[d]
			if !ok {
				continue
			}
			at, err := stablehlo.ConvertType(x.Type(), i32)
			e.Fail(err)
			end := stablehlo.BroadcastInDim(e.Builder, at, size, nil)
			inside := stablehlo.Compare(e.Builder, stablehlo.Iota(e.Builder, at, d), end, stablehlo.CompareLT)
			x = stablehlo.Select(e.Builder, inside, x, initial)
		}
		if e.Err() != nil {
			return e.Err()
		}
		op.SetOperand(i, x)
	}
	left := map[int64]mlir.Value{}
	for d, size := range sizes {
		if slices.Contains(o.Dimensions, d) {
			continue
		}
		at := d
		for _, before := range o.Dimensions {
			if before < d {
				at--
			}
		}
		left[at] = size
	}
	b.give(op, left)
	return nil
}

// atMost returns a type of arrays with the largest sizes.
func atMost(t mlir.Type) mlir.Type {
	list, ok := stablehlo.DimensionsOf(t)
	if !ok {
		return t
	}
	sizes := make([]int64, len(list))
	for i, d := range list {
		if sizes[i] = d.Size; d.Bound > 0 {
			sizes[i] = d.Bound
		}
	}
	element, _ := t.Element()
	whole, err := t.Context().TensorType(element, sizes...)
	if err != nil {
		return t
	}
	return whole
}
