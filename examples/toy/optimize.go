package main

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/passes"
)

// inline puts copies of what functions do in the place of calls, and removes all functions but main.
func inline(m *mlir.Module) error {
	order, functions := function.Defined(m)
	if functions["main"].IsNil() {
		return fmt.Errorf("there is no function main")
	}
	if err := inlineIn(functions["main"], functions, nil); err != nil {
		return err
	}
	for _, f := range order {
		if f != functions["main"] {
			if err := f.Erase(); err != nil {
				return err
			}
		}
	}
	return nil
}

// inlineIn replaces the calls in f, which the active functions call.
func inlineIn(f mlir.Operation, functions map[string]mlir.Operation, active []string) error {
	for op := range f.Region(0).First().Operations() {
		if op.Name() != "toy.call" {
			continue
		}
		attribute, _ := op.Attribute("callee")
		name, _ := attribute.Text()
		callee := functions[name].Region(0).First()
		if slices.Contains(active, name) {
			return fmt.Errorf("%v: %s calls itself", op.Location().Position(), name)
		}
		if callee.NumArguments() != op.NumOperands() || callee.Terminator().NumOperands() != 1 {
			return fmt.Errorf("%v: %s takes %d arguments and returns %d results, not %d and 1", op.Location().Position(),
				name, callee.NumArguments(), callee.Terminator().NumOperands(), op.NumOperands())
		}
		if err := inlineIn(functions[name], functions, append(active, name)); err != nil {
			return err
		}
		var to mlir.Mapping
		for i, argument := range callee.Arguments() {
			to.Map(argument, op.Operand(i))
		}
		for from := range callee.Operations() {
			if from != callee.Terminator() {
				op.Block().InsertBefore(op, from.CloneWith(&to))
			}
		}
		result, ok := to.Value(callee.Terminator().Operand(0))
		if !ok {
			result = callee.Terminator().Operand(0)
		}
		op.Result(0).ReplaceAllUses(result)
		if err := op.Erase(); err != nil {
			return err
		}
	}
	return nil
}

// inferShapes gives each result the shape that its operands determine, in the order of the text.
func inferShapes(f mlir.Operation) error {
	for op := range f.Region(0).First().Operations() {
		if op.NumResults() == 0 {
			continue
		}
		if _, ranked := op.Result(0).Type().Rank(); ranked {
			continue
		}
		t := op.Operand(0).Type()
		switch op.Name() {
		case "toy.add", "toy.mul":
			if t != op.Operand(1).Type() {
				return fmt.Errorf("%v: %s of %v and %v: the shapes differ", op.Location().Position(), op.Name(), t,
					op.Operand(1).Type())
			}
		case "toy.transpose":
			dims, _ := t.Dims()
			slices.Reverse(dims)
			element, _ := t.Element()
			var err error
			if t, err = op.Context().TensorType(element, dims...); err != nil {
				return err
			}
		}
		op.Result(0).SetType(t)
	}
	return nil
}

// patterns remove what does nothing.
var patterns = []mlir.Pattern{
	{Name: "transpose-twice", Op: "toy.transpose", Rewrite: func(op mlir.Operation, r *mlir.Rewriter) (bool, error) {
		inner := op.Operand(0).Owner()
		if inner.IsNil() || inner.Name() != "toy.transpose" {
			return false, nil
		}
		r.Replace(op, inner.Operand(0))
		return true, nil
	}},
	{Name: "reshape-to-itself", Op: "toy.reshape", Rewrite: func(op mlir.Operation, r *mlir.Rewriter) (bool, error) {
		if op.Operand(0).Type() != op.Result(0).Type() {
			return false, nil
		}
		r.Replace(op, op.Operand(0))
		return true, nil
	}},
	{Name: "reshape-constant", Op: "toy.reshape", Rewrite: func(op mlir.Operation, r *mlir.Rewriter) (bool, error) {
		inner := op.Operand(0).Owner()
		if inner.IsNil() || inner.Name() != "toy.constant" {
			return false, nil
		}
		value, _ := inner.Attribute("value")
		value, err := value.Reshape(op.Result(0).Type())
		if err != nil {
			return false, err
		}
		constant, err := mlir.Create(r, mlir.OperationState{Name: "toy.constant", Location: op.Location(),
			Results:    []mlir.Type{op.Result(0).Type()},
			Attributes: []mlir.NamedAttribute{{Name: "value", Value: value}}})
		if err != nil {
			return false, err
		}
		r.ReplaceWith(op, constant)
		return true, nil
	}},
}

// optimize inlines all calls, infers the shapes of main, applies the patterns, and merges equal operations.
func optimize(m *mlir.Module) error {
	if err := inline(m); err != nil {
		return err
	}
	if err := inferShapes(m.Body().First()); err != nil {
		return err
	}
	set, err := m.Context().NewPatterns(patterns...)
	if err != nil {
		return err
	}
	defer set.Close()
	if err := set.Apply(m, mlir.GreedyOptions{}); err != nil {
		return err
	}
	return passes.RunGuarded(m, "builtin.module(cse)")
}
