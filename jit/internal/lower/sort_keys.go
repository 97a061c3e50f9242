package lower

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/calliope-mlir/calliope/jit/internal/extern"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// sortByKeys makes calls of a C function of the sorts whose comparator compares the same function of an element of both
// sides. The function is computed once for each element: as an integer, whose digits the C function sorts by.
func sortByKeys(m *mlir.Module) error {
	for op := range m.Operation().Index().Named("stablehlo.sort") {
		e := &emitter{Builder: mlir.NewBuilder(mlir.Before(op), op.Location()), op: op, module: m}
		s, ok := stablehlo.AsSort(op)
		if !ok {
			continue
		}
		k, ok := keysOf(e, s)
		if !ok {
			continue
		}
		if err := k.replace(); err != nil {
			at := op.Location().Position()
			return &UnsupportedError{Operation: "stablehlo.sort", Position: at, Reason: Reason(err)}
		}
	}
	return nil
}

// A keySort is a sort by keys.
type keySort struct {
	*emitter
	op         stablehlo.SortOp
	dims       []int64
	dim        int
	key        mlir.Value // in the comparator
	descending bool
}

// ofElements are the operations of which the function may be made.
var ofElements = []string{"stablehlo.abs", "stablehlo.add", "stablehlo.and", "stablehlo.bitcast_convert",
	"stablehlo.compare", "stablehlo.constant", "stablehlo.convert", "stablehlo.maximum", "stablehlo.minimum",
	"stablehlo.multiply", "stablehlo.negate", "stablehlo.not", "stablehlo.or", "stablehlo.select", "stablehlo.subtract",
	"stablehlo.xor"}

// keysOf returns a sort as one by keys, and false if it is none.
func keysOf(e *emitter, op stablehlo.SortOp) (k keySort, ok bool) {
	k = keySort{emitter: e, op: op, dims: dims(op.Inputs[0]), dim: sortedDim(op)}
	less := op.Comparator.First().Terminator().Operand(0)
	if less.IsArgument() || slices.Contains(k.dims, 0) || k.dims[k.dim] < 2 || k.dims[k.dim] > math.MaxUint32 {
		return k, false
	}
	c, ok := stablehlo.AsCompare(less.Owner())
	if !ok {
		return k, false
	}
	elem, _ := c.LHS.Type().Element()
	bits, _, isInteger := elem.IntegerWidth()
	if kind, isFloat := elem.FloatKind(); isFloat && c.CompareType == stablehlo.CompareTotalOrder {
		bits = kind.Bits()
	} else if !isInteger {
		return k, false
	}
	k.descending = c.ComparisonDirection == stablehlo.CompareGT
	if !slices.Contains([]int{8, 16, 32, 64}, bits) ||
		!k.descending && c.ComparisonDirection != stablehlo.CompareLT {
		return k, false
	}
	switch block := op.Comparator.First(); {
	case sameFunction(c.LHS, c.RHS, block):
		k.key = c.LHS
	case sameFunction(c.RHS, c.LHS, block):
		k.key, k.descending = c.RHS, !k.descending
	default:
		return k, false
	}
	return k, true
}

// sameFunction reports whether a value of a comparator is a function of the first element of each operand, and another
// one the same function of the second ones.
func sameFunction(first, second mlir.Value, block mlir.Block) bool {
	if first.IsArgument() || second.IsArgument() {
		return first.IsArgument() && second.IsArgument() && first.Block().Equal(block) && second.Block().Equal(block) &&
			first.Index()%2 == 0 && second.Index() == first.Index()+1
	}
	a, b := first.Owner(), second.Owner()
	if a.Name() != b.Name() || !slices.Contains(ofElements, a.Name()) || a.NumOperands() != b.NumOperands() ||
		!first.Type().Equal(second.Type()) ||
		!maps.EqualFunc(maps.Collect(a.Attributes()), maps.Collect(b.Attributes()), mlir.Attribute.Equal) {
		return false
	}
	for i, v := range a.OperandValues() {
		if !sameFunction(v, b.Operand(i), block) {
			return false
		}
	}
	return true
}

// replace puts the call in the place of the sort.
func (k keySort) replace() error {
	key, flip := k.digits(k.whole(k.key, map[mlir.Value]mlir.Value{}))
	if k.Err() != nil {
		return k.Err()
	}
	if k.descending {
		flip = ^flip
	}
	size := func(v mlir.Value) int64 {
		bytes, err := elementBytes(v.Type())
		k.Fail(err)
		return bytes
	}
	n, width := k.dims[k.dim], max(8, 2*size(key)) // of a key and a place
	call := extern.Call{Function: "calliope_jit_sort_by_keys", Fixed: 7, Numbers: []int64{product(k.dims[:k.dim]), n,
		product(k.dims[k.dim+1:]), size(key), flip, 2 * n * width, int64(len(k.op.Inputs))}}
	inputs := k.operands()
	for _, v := range inputs {
		call.Numbers = append(call.Numbers, size(v))
	}
	call.Arrays = append(call.Arrays, extern.Array{Value: k.signless(key), Access: extern.Read})
	for _, v := range inputs {
		call.Arrays = append(call.Arrays, extern.Array{Value: v, Access: extern.Read})
	}
	for _, v := range inputs {
		call.Arrays = append(call.Arrays, extern.Array{Value: k.buffer(v.Type()), Access: extern.Write})
	}
	memory := k.buffer(k.tensorOf(k.integer(8), 2*n*width))
	call.Arrays = append(call.Arrays, extern.Array{Value: memory, Access: extern.Write})
	number := 0
	name := func() string { return fmt.Sprintf("calliope.keys%d", number) }
	for hasSymbol(k.module, name()) {
		number++
	}
	after := call.Create(k.Builder, k.module, name())
	if k.Err() != nil {
		return k.Err()
	}
	return k.emitter.replace(after[1+len(inputs) : 1+2*len(inputs)])
}

// whole returns a value of the comparator for all elements of the operands.
func (k keySort) whole(v mlir.Value, known map[mlir.Value]mlir.Value) mlir.Value {
	if of, ok := known[v]; ok || k.Err() != nil {
		return of
	}
	elem, _ := v.Type().Element()
	t := k.tensorOf(elem, k.dims...)
	switch {
	case v.IsArgument():
		known[v] = k.op.Inputs[v.Index()/2]
	case v.Owner().Name() == "stablehlo.constant":
		value, _ := v.Owner().Attribute("value")
		known[v] = stablehlo.BroadcastInDim(k.Builder, t, k.constant(value), nil)
	default:
		state := mlir.OperationState{Name: v.Owner().Name(), Results: []mlir.Type{t}}
		for _, operand := range v.Owner().OperandValues() {
			state.Operands = append(state.Operands, k.whole(operand, known))
		}
		for name, value := range v.Owner().Attributes() {
			state.Attributes = append(state.Attributes, mlir.NamedAttribute{Name: name, Value: value})
		}
		if k.Err() == nil {
			known[v] = k.Create(state).Result(0)
		}
	}
	return known[v]
}

// digits returns keys as integers, and which of their bits to flip for the order of unsigned numbers.
func (k keySort) digits(key mlir.Value) (mlir.Value, int64) {
	if k.Err() != nil {
		return key, 0
	}
	elem, _ := key.Type().Element()
	kind, isFloat := elem.FloatKind()
	if bits, sign, _ := elem.IntegerWidth(); !isFloat && sign == mlir.Unsigned {
		return key, 0
	} else if !isFloat {
		return key, math.MinInt64 >> (64 - bits)
	}
	// All bits of a negative number but the sign are flipped, so that the order is that of signed integers.
	integer := k.tensorOf(k.integer(kind.Bits()), k.dims...)
	number := func(n int64) mlir.Value {
		value, err := mlir.NewDenseSplat(k.tensorOf(k.integer(64)), n)
		k.Fail(err)
		wide := stablehlo.BroadcastInDim(k.Builder, k.tensorOf(k.integer(64), k.dims...), k.constant(value), nil)
		return stablehlo.Convert(k.Builder, integer, wide)
	}
	bits := stablehlo.BitcastConvert(k.Builder, integer, key)
	negative := stablehlo.ShiftRightArithmetic(k.Builder, bits, number(int64(kind.Bits()-1)))
	rest := stablehlo.And(k.Builder, negative, number(math.MaxInt64>>(64-kind.Bits())))
	return stablehlo.Xor(k.Builder, bits, rest), math.MinInt64 >> (64 - kind.Bits())
}
