package function

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// UpdateType sets the type of a func.func to the types of its arguments and of what it returns, after a change of its
// body. Calls of the function stay as they are. The error says which return differs from one before it. A function
// without a return keeps the types of its results.
func UpdateType(f mlir.Operation) error {
	op, ok := AsFunc(f)
	if !ok || op.Body.NumBlocks() == 0 {
		return fmt.Errorf("function: %s has no body whose types a function type could have", f.Name())
	}
	_, results, _ := op.FunctionType.Signature()
	returned := false
	for block := range op.Body.Blocks() {
		end := block.Terminator()
		if end.IsNil() || end.Name() != "func.return" {
			continue
		}
		types := mlir.TypesOf(end.OperandValues())
		if returned && !slices.EqualFunc(types, results, mlir.Type.Equal) {
			return fmt.Errorf("function: @%s returns %v and %v: all returns must have the same types", op.SymName, results,
				types)
		}
		results, returned = types, true
	}
	inputs := mlir.TypesOf(op.Body.First().ArgumentValues())
	c := f.Context()
	f.SetAttribute("function_type", c.TypeAttribute(c.FunctionType(inputs, results)))
	return nil
}
