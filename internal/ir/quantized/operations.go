package quantized

import (
	"errors"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// The operations that move the stored integers, and those of which regions say what they compute.
var (
	moving = names(`all_gather all_to_all bitcast_convert broadcast broadcast_in_dim collective_broadcast
		collective_permute concatenate constant dynamic_broadcast_in_dim dynamic_gather dynamic_pad dynamic_reshape
		dynamic_slice dynamic_update_slice gather get_dimension_size optimization_barrier pad real_dynamic_slice reshape
		reverse select set_dimension_size slice torch_index_select transpose`)
	passing = append(names(`all_reduce async_done async_start case collective_reduce composite if map reduce
		reduce_scatter reduce_window return scatter select_and_scatter sort tuple get_tuple_element while`),
		"func.call", "func.func", "func.return")
	hosts = names("custom_call infeed outfeed recv send")
)

func names(list string) []string {
	fields := strings.Fields(list)
	for i, name := range fields {
		fields[i] = "stablehlo." + name
	}
	return fields
}

// expand makes an operation one of stored integers, or one between a dequantization and a quantization.
func (x *expander) expand(op mlir.Operation) error {
	e := x.before(op)
	switch name := op.Name(); {
	case slices.Contains(hosts, name):
		return errors.New("functions of the host take no quantized numbers: dequantize them before the call")
	case slices.Contains(passing, name):
		return x.checkRegions(op)
	case name == "stablehlo.bitcast_convert", name == "stablehlo.get_dimension_size", slices.Contains(moving, name) &&
		x.alike(op):
		return nil
	case name == "stablehlo.uniform_quantize", name == "stablehlo.uniform_dequantize":
		v := e.number(op.Operand(0))
		if q, ok := x.numbers[op.Result(0)]; ok {
			v = e.quantize(v, q)
		}
		return errors.Join(e.Err(), x.replace(op, v))
	case op.NumRegions() > 0:
		return errors.New("it has a region, and its quantized numbers are not known: dequantize them")
	}
	if v, ok := e.product(op); ok {
		return errors.Join(e.Err(), x.replace(op, v))
	}
	return x.compute(e, op)
}

// compute makes an operation one of the represented numbers.
func (x *expander) compute(e emitter, op mlir.Operation) error {
	made := op.Block().InsertBefore(op, op.Clone())
	e.Builder = mlir.NewBuilder(mlir.Before(made), op.Location())
	for i, v := range op.OperandValues() {
		made.SetOperand(i, e.number(v))
	}
	if a, ok := made.Attribute("compare_type"); ok && !strings.Contains(a.String(), "TOTALORDER") {
		made.RemoveAttribute("compare_type") // of the stored integers
	}
	err := e.Err()
	e.Builder = mlir.NewBuilder(mlir.Before(op), op.Location())
	results := made.ResultValues()
	for i, r := range op.ResultValues() {
		if q, ok := x.numbers[r]; ok {
			results[i].SetType(x.with(r.Type(), q.Expressed))
			results[i] = e.quantize(results[i], q)
		}
	}
	return errors.Join(err, e.Err(), x.replace(op, results...))
}

// alike reports whether all quantized operands and results represent numbers in the same way. Their axes are those of
// their own shapes.
func (x *expander) alike(op mlir.Operation) bool {
	var first *stablehlo.Quantized
	for _, v := range slices.Concat(op.OperandValues(), op.ResultValues()) {
		if q, ok := x.numbers[v]; !ok {
			continue
		} else if first == nil {
			first = &q
		} else if !sameNumbers(*first, q) {
			return false
		}
	}
	return true
}

// sameNumbers reports whether equal integers of two types represent equal numbers.
func sameNumbers(a, b stablehlo.Quantized) bool {
	return a.Bits == b.Bits && a.Unsigned == b.Unsigned && a.Min == b.Min && a.Max == b.Max && a.PerAxis == b.PerAxis &&
		a.Expressed.Equal(b.Expressed) && slices.Equal(a.Scales, b.Scales) && slices.Equal(a.ZeroPoints, b.ZeroPoints)
}

// checkRegions returns an error if a region takes quantized numbers of another type than the operands have, which would
// be converted.
func (x *expander) checkRegions(op mlir.Operation) error {
	if op.Name() == "func.func" {
		return nil
	}
	for _, r := range op.Regions() {
		for b := range r.Blocks() {
			for _, v := range b.ArgumentValues() {
				q, ok := x.numbers[v]
				if ok && !slices.ContainsFunc(op.OperandValues(), func(o mlir.Value) bool {
					of, quantized := x.numbers[o]
					return quantized && sameNumbers(of, q)
				}) {
					return errors.New("its region takes quantized numbers of another type than the operands: " +
						"requantize these before")
				}
			}
		}
	}
	return nil
}
