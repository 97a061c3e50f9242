package stablehlo

import (
	"errors"
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/mlir"
)

// The library has no assertions. Its type inference and some of its verifiers assume that
// operations match their definitions. Each guard here prevents a crash that was observed.

// anyOperands holds the operations whose operands need not be ranked tensors.
var anyOperands = map[string]bool{
	"stablehlo.after_all": true, "stablehlo.async_done": true, "stablehlo.composite": true, "stablehlo.custom_call": true,
	"stablehlo.get_tuple_element": true,
	"stablehlo.infeed":            true, "stablehlo.optimization_barrier": true, "stablehlo.outfeed": true,
	"stablehlo.recv":   true,
	"stablehlo.return": true, "stablehlo.send": true, "stablehlo.tuple": true, "stablehlo.while": true,
}

func guards() map[string]ods.Guard {
	special := map[string]ods.Guard{
		// divides by the size of a group
		"all_to_all": groups,
		// reads the values that the region returns
		"all_reduce": computations,
		// indexes the dimensions with the feature index
		"batch_norm_grad":      features(4),
		"batch_norm_inference": features(5),                        //
		"batch_norm_training":  features(3),                        //
		"collective_reduce":    ods.All(someOperand, computations), // leaves the last one out; as all_reduce
		// reads the first one
		"concatenate": someOperand,
		// assumes that the operand is quantized by axis, like the result
		"dynamic_broadcast_in_dim": quantizedAlike,
		// indexes the elements with it
		"get_tuple_element": nonNegative("index"),
		"map":               computations, // as all_reduce
		// indexes the others as the first
		"pad": aligned("edge_padding_low", "edge_padding_high", "interior_padding"),
		// indexes the values that the region returns
		"reduce":         ods.All(computations, reduction),
		"reduce_scatter": computations,                     // as all_reduce
		"reduce_window":  ods.All(computations, reduction), //
		// allocates as many dimensions as the shape has elements
		"rng":                shape(2),
		"scatter":            computations,                                         // as all_reduce
		"select_and_scatter": computations,                                         //
		"slice":              aligned("start_indices", "limit_indices", "strides"), // indexes the others as the first
		"sort":               computations,                                         // as all_reduce
		// assumes that the condition returns a tensor
		"while":              condition,
		"uniform_dequantize": quantizedOperand, // assumes that the element is quantized
	}
	all := map[string]ods.Guard{"stablehlo.abs": ods.RankedTensors}
	for _, name := range operationNames {
		if elementwise[name] {
			continue
		}
		var list []ods.Guard
		if !anyOperands[name] {
			list = append(list, ods.RankedTensors)
		}
		list = append(list, ods.Bodies)
		if g := special[strings.TrimPrefix(name, dialect)]; g != nil {
			list = append(list, g)
		}
		all[name] = ods.All(list...)
	}
	return all
}

// computations requires regions that take and return ranked tensors, at least one.
func computations(s mlir.OperationState) error {
	for i, r := range s.Regions {
		returned, err := ods.Returned(r)
		if err != nil {
			return err
		}
		if len(returned) == 0 {
			return fmt.Errorf("region %d returns nothing: it must return a value", i)
		}
		for _, v := range returned {
			if !v.Type().IsRankedTensor() {
				return fmt.Errorf("region %d must return ranked tensors, not %s", i, v.Type())
			}
		}
		for _, v := range r.First().Arguments() {
			if !v.Type().IsRankedTensor() {
				return fmt.Errorf("the arguments of region %d must be ranked tensors, not %s", i, v.Type())
			}
		}
	}
	return nil
}

// reduction requires the region of a reduction to return one value for each input.
func reduction(s mlir.OperationState) error {
	returned, err := ods.Returned(s.Regions[0])
	if err != nil {
		return err
	}
	n := len(s.Operands) / 2
	if n == 0 || len(returned) != n || s.Regions[0].First().NumArguments() != 2*n {
		return fmt.Errorf("to reduce %d inputs the region must take %d values and return %d, but takes %d and returns %d",
			n, 2*n, n, s.Regions[0].First().NumArguments(), len(returned))
	}
	return nil
}

// condition requires the first region of while to return one ranked tensor.
func condition(s mlir.OperationState) error {
	returned, err := ods.Returned(s.Regions[0])
	if err != nil {
		return err
	}
	if len(returned) != 1 || !returned[0].Type().IsRankedTensor() {
		return errors.New("the condition must return one tensor<i1>")
	}
	return nil
}

// quantizedOperand requires a quantized operand.
func quantizedOperand(s mlir.OperationState) error {
	if element, _ := s.Operands[0].Type().Element(); element.Dialect() != "quant" {
		return fmt.Errorf("the operand must be a tensor of quantized numbers, not %s", s.Operands[0].Type())
	}
	return nil
}

// quantizedAlike requires a quantized operand if the result is quantized.
func quantizedAlike(s mlir.OperationState) error {
	if len(s.Operands) == 0 || len(s.Results) == 0 {
		return nil // the verifier reports it
	}
	operand, _ := s.Operands[0].Type().Element()
	result, ok := s.Results[0].Element()
	if ok && result.Dialect() == "quant" && operand.Dialect() != "quant" {
		return fmt.Errorf("the result is %s, but the operand is %s: quantize it first", s.Results[0],
			s.Operands[0].Type())
	}
	return nil
}

// someOperand requires at least one operand.
func someOperand(s mlir.OperationState) error {
	if len(s.Operands) == 0 {
		return errors.New("it needs an operand")
	}
	return nil
}

// groups requires replica groups that are not empty.
func groups(s mlir.OperationState) error {
	if t, ok := given(s, "replica_groups").Type(); ok && t.IsShaped() {
		if n, ok := t.NumElements(); ok && n == 0 {
			return errors.New("the replica groups are empty")
		}
	}
	return nil
}

// nonNegative requires an integer attribute that is not negative.
func nonNegative(name string) ods.Guard {
	return func(s mlir.OperationState) error {
		if n, ok := given(s, name).Int(); ok && n < 0 {
			return fmt.Errorf("%s is %d: it must not be negative", name, n)
		}
		return nil
	}
}

// features requires that the second to the n-th operand are vectors, and that the
// feature index is not negative.
func features(n int) ods.Guard {
	return func(s mlir.OperationState) error {
		for i := 1; i < n; i++ {
			if rank, _ := s.Operands[i].Type().Rank(); rank != 1 {
				return fmt.Errorf("operand %d must be a tensor of one dimension, not %s", i, s.Operands[i].Type())
			}
		}
		return nonNegative("feature_index")(s)
	}
}

// aligned requires lists of the same length.
func aligned(first string, others ...string) ods.Guard {
	return func(s mlir.OperationState) error {
		list, _ := given(s, first).Int64s()
		for _, name := range others {
			if other, ok := given(s, name).Int64s(); ok && len(other) != len(list) {
				return fmt.Errorf("%s has %d numbers and %s has %d: they must have one for each dimension", first,
					len(list), name, len(other))
			}
		}
		return nil
	}
}

// maxRank is far above the rank of any real shape.
const maxRank = 1 << 10

// shape requires operand i to be a shape: a vector of static size.
func shape(i int) ods.Guard {
	return func(s mlir.OperationState) error {
		dims, _ := s.Operands[i].Type().Dims()
		if len(dims) != 1 || dims[0] < 0 || dims[0] > maxRank {
			return fmt.Errorf("the shape must be a tensor of one dimension of a static size of at most %d, not %s",
				maxRank, s.Operands[i].Type())
		}
		return nil
	}
}

// given returns a required attribute. The caller has checked that the operation has it.
func given(s mlir.OperationState, name string) mlir.Attribute {
	for _, a := range s.Attributes {
		if a.Name == name {
			return a.Value
		}
	}
	return mlir.Attribute{}
}
