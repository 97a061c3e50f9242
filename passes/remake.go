package passes

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// remake puts in the place of an operation one of the same kind with other operands and
// results. Its regions, as they are, and its attributes go over. Of the old results,
// kept are those whose uses the new ones take, in this order; the others have none.
func remake(op mlir.Operation, operands []mlir.Value, results []mlir.Type, kept []int) (mlir.Operation, error) {
	c := op.Context()
	state := mlir.OperationState{Name: op.Name(), Location: op.Location(), Operands: operands, Results: results}
	for name, a := range op.Attributes() {
		state.Attributes = append(state.Attributes, mlir.NamedAttribute{Name: name, Value: a})
	}
	for range op.NumRegions() {
		state.Regions = append(state.Regions, c.NewRegion())
	}
	made, err := c.Create(state)
	if err != nil {
		return mlir.Operation{}, err
	}
	made = op.Block().InsertBefore(op, made)
	for i, region := range op.Regions() {
		made.Region(i).TakeBody(region)
	}
	for i, old := range kept {
		op.Result(old).ReplaceAllUses(made.Result(i))
	}
	return made, op.Erase()
}

// extended is an operation remade with one more operand, unless that is nil, and one
// more result, which is a token.
func extended(op mlir.Operation, operand mlir.Value, token mlir.Type) (mlir.Operation, error) {
	operands := operandsOf(op)
	if !operand.IsNil() {
		operands = append(operands, operand)
	}
	results := append(resultTypes(op), token)
	return remake(op, operands, results, upTo(op.NumResults()))
}

// without is an operation remade without one of its results and, unless operand is
// negative, without that operand. The result has no uses.
func without(op mlir.Operation, result, operand int) (mlir.Operation, error) {
	operands := operandsOf(op)
	if operand >= 0 {
		operands = slices.Delete(operands, operand, operand+1)
	}
	results := resultTypes(op)
	kept := upTo(len(results))
	return remake(op, operands, slices.Delete(results, result, result+1), slices.Delete(kept, result, result+1))
}

func operandsOf(op mlir.Operation) []mlir.Value {
	var list []mlir.Value
	for _, v := range op.Operands() {
		list = append(list, v)
	}
	return list
}

func resultTypes(op mlir.Operation) []mlir.Type {
	var list []mlir.Type
	for _, v := range op.Results() {
		list = append(list, v.Type())
	}
	return list
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// setSignature gives a function the type of its block and its return, and keeps the
// lists of what is said of each parameter and result as long as these. With a negative
// index something was added behind the others, or else removed there.
func setSignature(f mlir.Operation, param, result int) {
	c, block := f.Context(), f.Region(0).First()
	var params, results []mlir.Type
	for _, v := range block.Arguments() {
		params = append(params, v.Type())
	}
	for _, v := range block.Terminator().Operands() {
		results = append(results, v.Type())
	}
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
