package main

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// callChecks puts the custom calls that serveChecks serves in the place of the operations of StableHLO's dialect check.
func (m *module) callChecks() error {
	var found []mlir.Operation
	for op := range m.ir.Module.Operation().All() {
		if strings.HasPrefix(op.Name(), "check.expect_") {
			found = append(found, op)
		}
	}
	for _, op := range found {
		target := strings.TrimSuffix(op.Name(), "_const")
		if _, ok := checkTolerances[target]; !ok {
			return fmt.Errorf("%s: %s compares with the files that StableHLO's interpreter writes: leave it out",
				m.place(op), op.Name())
		}
		b := mlir.NewBuilder(mlir.Before(op), op.Location())
		operands := op.OperandValues()
		if value, ok := op.Attribute("value"); ok {
			of, _ := value.Type()
			expected := b.Create(mlir.OperationState{Name: "stablehlo.constant", Results: []mlir.Type{of},
				Attributes: []mlir.NamedAttribute{{Name: "value", Value: value}}})
			operands = append(operands, expected.Result(0))
		}
		call := stablehlo.CustomCallOp{Target: target, Operands: operands, HasSideEffect: true}.Create(b)
		if err := b.Err(); err != nil {
			return fmt.Errorf("%s: %w", m.place(op), err)
		}
		if target == "check.expect_close" { // whose default is less than that of the custom call
			call.SetDiscardable("max_ulp_difference", b.Attribute("1 : ui64"))
		}
		for name, value := range op.Attributes() {
			if name != "value" {
				call.SetDiscardable(name, value)
			}
		}
		if err := op.Erase(); err != nil {
			return err
		}
	}
	return nil
}

// toleranceOf returns what a check allows, from the attributes that it has of the dialect check.
func toleranceOf(op mlir.Operation, target string) tolerance {
	t := checkTolerances[target]
	if a, ok := op.Attribute("tolerance"); ok {
		t.atol, _ = a.Float()
	}
	for name, steps := range map[string]*uint64{"max_ulp_difference": &t.ulps, "min_ulp_difference": &t.atLeast} {
		if a, ok := op.Attribute(name); ok {
			*steps, _ = a.Uint()
		}
	}
	return t
}
