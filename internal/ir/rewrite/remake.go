package rewrite

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// Remake replaces an operation by one of the same kind with other operands and results. The
// new one gets its attributes and regions. The results in kept are replaced by the new ones,
// in this order; the other results must have no uses.
func Remake(op mlir.Operation, operands []mlir.Value, results []mlir.Type, kept []int) (mlir.Operation, error) {
	made, err := Copy(op, operands, results)
	if err != nil {
		return mlir.Operation{}, err
	}
	for i, old := range kept {
		op.Result(old).ReplaceAllUses(made.Result(i))
	}
	return made, op.Erase()
}

// Copy puts an operation of the same kind with other operands and results before an operation, and gives it its
// attributes and regions.
func Copy(op mlir.Operation, operands []mlir.Value, results []mlir.Type) (mlir.Operation, error) {
	c := op.Context()
	state := mlir.OperationState{Name: op.Name(), Location: op.Location(), Operands: operands, Results: results}
	for name, a := range op.Attributes() {
		state.Attributes = append(state.Attributes, mlir.NamedAttribute{Name: name, Value: a})
	}
	for range op.NumRegions() {
		state.Regions = append(state.Regions, c.NewRegion())
	}
	made, err := mlir.Create(c, state)
	if err != nil {
		return mlir.Operation{}, err
	}
	made = op.Block().InsertBefore(op, made)
	for i, region := range op.Regions() {
		made.Region(i).TakeBody(region)
	}
	return made, nil
}

// Extended remakes an operation with one more operand, unless that is nil, and one more result,
// which is a token.
func Extended(op mlir.Operation, operand mlir.Value, token mlir.Type) (mlir.Operation, error) {
	operands := op.OperandValues()
	if !operand.IsNil() {
		operands = append(operands, operand)
	}
	results := append(mlir.TypesOf(op.ResultValues()), token)
	return Remake(op, operands, results, UpTo(op.NumResults()))
}

// Without remakes an operation without one of its results, which must have no uses, and without
// that operand, unless it is negative.
func Without(op mlir.Operation, result, operand int) (mlir.Operation, error) {
	operands := op.OperandValues()
	if operand >= 0 {
		operands = slices.Delete(operands, operand, operand+1)
	}
	results := mlir.TypesOf(op.ResultValues())
	kept := UpTo(len(results))
	return Remake(op, operands, slices.Delete(results, result, result+1), slices.Delete(kept, result, result+1))
}

// ReturnAlso makes a function return one more value.
func ReturnAlso(f mlir.Operation, v mlir.Value) {
	end := f.Region(0).First().Terminator()
	end.SetOperands(append(end.OperandValues(), v)...)
	SetSignature(f, -1, -1)
}

// UpTo returns the numbers below n.
func UpTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// SetSignature sets the type of a function from its block and its return, and the lengths of
// its lists of parameter and result attributes. A negative index means that a parameter or
// result was added after the others, and any other index that the one there was removed.
func SetSignature(f mlir.Operation, param, result int) {
	c, block := f.Context(), f.Region(0).First()
	params, results := mlir.TypesOf(block.ArgumentValues()), mlir.TypesOf(block.Terminator().OperandValues())
	f.SetAttribute("function_type", c.TypeAttribute(c.FunctionType(params, results)))
	for _, list := range []struct {
		name string
		at   int
	}{{"arg_attrs", param}, {"res_attrs", result}} {
		a, ok := f.Attribute(list.name)
		if !ok {
			continue
		}
		elements, _ := a.Elements()
		switch {
		case list.at < 0:
			elements = append(elements, c.DictionaryAttribute())
		case list.at < len(elements):
			elements = slices.Delete(elements, list.at, list.at+1)
		}
		f.SetAttribute(list.name, c.ArrayAttribute(elements...))
	}
}

// KeepSharding gives an operation the shardings of the one that it replaces, which has as many results.
func KeepSharding(op, replacement mlir.Operation) {
	for _, name := range []string{"mhlo.sharding", "sdy.sharding"} {
		if a, ok := op.Attribute(name); ok {
			replacement.SetAttribute(name, a)
		}
	}
}
