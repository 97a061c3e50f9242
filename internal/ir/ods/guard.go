package ods

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// A Guard returns an error for a new operation that would crash the library.
type Guard func(mlir.OperationState) error

var guards = map[string]Guard{}

// Register registers the operations that infer their types, and the guards of operations.
// If an operation infers its types, its guard runs whenever one is made, even without this
// package. Otherwise only Writer.Create runs it.
func Register(inference map[string]mlir.Inference, guard map[string]Guard) {
	for name, g := range guard {
		guards[name] = named(name, g)
	}
	for name, i := range inference {
		i.Check = guards[name]
		mlir.AllowInference(name, i)
	}
}

// named returns a guard whose errors begin with the operation's name.
func named(name string, g Guard) Guard {
	return func(s mlir.OperationState) error {
		if err := g(s); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
}

// All returns a guard that runs the guards in order until one fails.
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

// RankedTensors requires all operands to be ranked tensors.
func RankedTensors(s mlir.OperationState) error {
	for i, v := range s.Operands {
		if t := v.Type(); !t.IsRankedTensor() {
			return fmt.Errorf("operand %d must be a ranked tensor, not %s", i, t)
		}
	}
	return nil
}

// Bodies requires each region to have one block that ends with a return.
func Bodies(s mlir.OperationState) error {
	for i, r := range s.Regions {
		if _, err := Returned(r); err != nil {
			return fmt.Errorf("region %d %w", i, err)
		}
	}
	return nil
}

// Returned returns the values that a region of one block returns.
func Returned(r mlir.Region) ([]mlir.Value, error) {
	if r.NumBlocks() != 1 {
		return nil, fmt.Errorf("has %d blocks: it must have one", r.NumBlocks())
	}
	last := r.First().Terminator()
	if last.IsNil() || last.Name() != "stablehlo.return" {
		return nil, fmt.Errorf("does not end with stablehlo.return")
	}
	return last.OperandValues(), nil
}
