package function

import "github.com/calliope-mlir/calliope/mlir"

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
