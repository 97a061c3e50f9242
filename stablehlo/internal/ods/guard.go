package ods

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// Guard looks at a new operation before the library does, and refuses what would make
// it crash.
type Guard func(mlir.OperationState) error

var guards = map[string]Guard{}

// Register says which operations infer their types, and which are guarded. The guards
// stand before everyone who makes the operation, also without this package, where it
// infers its types; else before Writer.Create.
func Register(inference map[string]mlir.Inference, guard map[string]Guard) {
	for name, g := range guard {
		guards[name] = named(name, g)
	}
	for name, i := range inference {
		i.Check = guards[name]
		mlir.AllowInference(name, i)
	}
}

// named puts the operation's name before a guard's error.
func named(name string, g Guard) Guard {
	dialect, short, _ := strings.Cut(name, ".")
	return func(s mlir.OperationState) error {
		if err := g(s); err != nil {
			return fmt.Errorf("%s: %s: %w", dialect, short, err)
		}
		return nil
	}
}

// All asks one guard after the other.
func All(list ...Guard) Guard {
	return func(s mlir.OperationState) error {
		for _, g := range list {
			if err := g(s); err != nil {
				return err
			}
		}
		return nil
	}
}

// RankedTensors wants all operands to be ranked tensors.
func RankedTensors(s mlir.OperationState) error {
	for i, v := range s.Operands {
		if t := v.Type(); !t.IsRankedTensor() {
			return fmt.Errorf("operand %d is a ranked tensor, not %s", i, t)
		}
	}
	return nil
}

// Bodies wants each region to have one block that ends with a return.
func Bodies(s mlir.OperationState) error {
	for i, r := range s.Regions {
		if _, err := Returned(r); err != nil {
			return fmt.Errorf("region %d %w", i, err)
		}
	}
	return nil
}

// Returned is what a region of one block returns.
func Returned(r mlir.Region) (values []mlir.Value, err error) {
	if r.NumBlocks() != 1 {
		return nil, fmt.Errorf("has %d blocks: it needs one", r.NumBlocks())
	}
	last := r.First().Terminator()
	if last.IsNil() || last.Name() != "stablehlo.return" {
		return nil, fmt.Errorf("does not end with stablehlo.return")
	}
	for _, v := range last.Operands() {
		values = append(values, v)
	}
	return values, nil
}
