package function

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// Defined returns the functions of a module that have a body, in the order of the text and
// by name.
func Defined(m *mlir.Module) (order []mlir.Operation, byName map[string]mlir.Operation) {
	byName = map[string]mlir.Operation{}
	for op := range m.Body().Operations() {
		if op.Name() != "func.func" || op.NumRegions() == 0 || op.Region(0).IsEmpty() {
			continue
		}
		name, _ := op.Symbol()
		order = append(order, op)
		byName[name] = op
	}
	return order, byName
}

// Callee returns the name of the function that op calls. It returns false if op is not a
// call.
func Callee(op mlir.Operation) (string, bool) {
	if name := op.Name(); name != "func.call" && name != "call" {
		return "", false
	}
	a, ok := op.Attribute("callee")
	if !ok {
		return "", false
	}
	return a.Symbol()
}

// Callees returns the names of the functions that an operation and its nested operations
// call, in the order of the text. A function that is called several times is listed as
// often.
func Callees(op mlir.Operation) (names []string) {
	op.Walk(func(op mlir.Operation) mlir.WalkAction {
		if name, ok := Callee(op); ok {
			names = append(names, name)
		}
		return mlir.WalkContinue
	})
	return names
}

// Inline replaces a call by copies of what the function f does, and returns the copies. The
// function must have one block. If the call does not fit the function, Inline changes nothing
// and returns an error.
func Inline(call, f mlir.Operation) (copies []mlir.Operation, err error) {
	body := f.Region(0).First()
	end := body.Terminator()
	fits := body.NumArguments() == call.NumOperands() && end.NumOperands() == call.NumResults()
	for i := 0; fits && i < end.NumOperands(); i++ {
		fits = end.Operand(i).Type().Equal(call.Result(i).Type())
	}
	if !fits {
		name, _ := f.Symbol()
		return nil, fmt.Errorf("the call does not fit the function %s", name)
	}
	var mapping mlir.Mapping
	for i, v := range body.Arguments() {
		mapping.Map(v, call.Operand(i))
	}
	for op := range body.Operations() {
		if op != end {
			copies = append(copies, call.Block().InsertBefore(call, op.CloneWith(&mapping)))
		}
	}
	for i, v := range end.Operands() {
		result, _ := mapping.Value(v)
		call.Result(i).ReplaceAllUses(result)
	}
	return copies, call.Erase()
}
