package stablehlo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// shapeAssertion is the target of the custom calls that check shapes. The first operand is
// whether the assertion holds, and the others are the values of its error_message.
const shapeAssertion = "shape_assertion"

// assertionsIn returns the shape assertions in an operation.
func assertionsIn(op mlir.Operation) (calls []mlir.Operation) {
	op.Walk(func(op mlir.Operation) mlir.WalkAction {
		if call, ok := AsCustomCall(op); ok && call.Target == shapeAssertion {
			calls = append(calls, op)
		}
		return mlir.WalkContinue
	})
	return calls
}

// checkAssertions evaluates the shape assertions of a module for the given refinement of its
// arguments, and erases them. It refines a copy that has nothing but the assertions, because
// shapes that violate one usually contradict another operation as well.
func checkAssertions(m *mlir.Module, arguments string) error {
	main, err := mainOf(m)
	if err != nil {
		return err
	}
	calls := assertionsIn(main)
	if calls == nil {
		return nil
	}
	only := m.Clone()
	defer only.Close()
	if err := keepAssertions(only); err != nil {
		return err
	}
	if err := runPasses(only, "symbol-dce,cse,"+arguments+refineShapes); err != nil {
		return err
	}
	refined, err := mainOf(only)
	if err != nil {
		return err
	}
	for _, op := range assertionsIn(refined) {
		if err := checkAssertion(op); err != nil {
			return err
		}
	}
	for _, op := range calls {
		if err := op.Erase(); err != nil {
			return err
		}
	}
	return nil
}

// keepAssertions erases everything in main on which no assertion depends, and its results.
func keepAssertions(m *mlir.Module) error {
	main, err := mainOf(m)
	if err != nil {
		return err
	}
	block := main.Region(0).First()
	block.Terminator().SetOperands()
	for _, op := range slices.Backward(slices.Collect(block.Operations())) {
		used := op == block.Terminator() || len(assertionsIn(op)) > 0
		for _, v := range op.Results() {
			used = used || v.HasUses()
		}
		if used {
			continue
		}
		if err := op.Erase(); err != nil {
			return err
		}
	}
	c := main.Context()
	a, _ := main.Attribute("function_type")
	t, _ := a.TypeValue()
	in, _, _ := t.Signature()
	main.RemoveAttribute("res_attrs")
	main.SetAttribute("function_type", c.TypeAttribute(c.FunctionType(in, nil)))
	return nil
}

// checkAssertion returns an error for an assertion that does not hold. Its operands must be
// constant.
func checkAssertion(op mlir.Operation) error {
	if op.NumOperands() == 0 || op.NumResults() > 0 {
		return refineError(op, "@%s must have an operand and no results", shapeAssertion)
	}
	var values []string
	for i, v := range op.Operands() {
		value, ok := scalarOf(v)
		if i == 0 {
			holds, isBool := value.(bool)
			if !isBool {
				return refineError(op, "@%s depends on more than the shapes: its operand must be a constant tensor<i1>",
					shapeAssertion)
			}
			if holds {
				return nil
			}
			continue
		}
		text := "?"
		if ok {
			text = fmt.Sprint(value)
		}
		values = append(values, text)
	}
	message := "it has no error_message"
	if a, ok := op.Attribute("error_message"); ok {
		if text, ok := a.Text(); ok {
			message = formatMessage(text, values)
		}
	}
	return &ShapeAssertionError{message, op.Location().Position()}
}

// constantOf returns the attribute of a constant.
func constantOf(v mlir.Value) (mlir.Attribute, bool) {
	if !v.IsResult() || v.Owner().Name() != "stablehlo.constant" {
		return mlir.Attribute{}, false
	}
	return v.Owner().Attribute("value")
}

// scalarOf returns the value of a constant of one element.
func scalarOf(v mlir.Value) (any, bool) {
	a, ok := constantOf(v)
	if !ok {
		return nil, false
	}
	t, _ := a.Type()
	if s, err := ShapeOf(t); err != nil || s.NumElements() != 1 {
		return nil, false
	}
	view, err := viewOf(a)
	if err != nil {
		return nil, false
	}
	return view.At(0), true
}

// formatMessage replaces {0}, {1}, … by values, and {{ and }} by one brace, as Python's
// str.format does.
func formatMessage(message string, values []string) string {
	var b strings.Builder
	for message != "" {
		at := strings.IndexAny(message, "{}")
		if at < 0 {
			break
		}
		b.WriteString(message[:at])
		message = message[at:]
		if strings.HasPrefix(message, "{{") || strings.HasPrefix(message, "}}") {
			b.WriteByte(message[0])
			message = message[2:]
			continue
		}
		number, rest, ok := strings.Cut(message[1:], "}")
		if i, err := strconv.Atoi(number); ok && message[0] == '{' && err == nil && i >= 0 && i < len(values) {
			b.WriteString(values[i])
			message = rest
			continue
		}
		b.WriteByte(message[0])
		message = message[1:]
	}
	return b.String() + message
}
