package passes

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// flattenMain makes the parameters and results of @main that are tuples the elements of these
// tuples, because XLA runs no other program.
func flattenMain(m *mlir.Module) error {
	c := callersOf(m)
	f, ok := c.byName["main"]
	if !ok || len(c.calls["main"]) > 0 || c.other["main"] || f.Region(0).NumBlocks() != 1 {
		return nil
	}
	block := f.Region(0).First()
	for i := block.NumArguments() - 1; i >= 0; i-- {
		v := block.Argument(i)
		if !v.Type().IsTuple() {
			continue
		}
		at := i + 1
		made, err := parameters(block, &at, v.Type(), f.Location())
		if err != nil {
			return err
		}
		v.ReplaceAllUses(made)
		splitAttributes(f, "arg_attrs", i, len(arraysOf(nil, v.Type())))
		if err := block.EraseArgument(i); err != nil {
			return err
		}
	}
	end := block.Terminator()
	for i := end.NumOperands() - 1; i >= 0; i-- {
		v := end.Operand(i)
		if !v.Type().IsTuple() {
			continue
		}
		elements, err := elementsOf(nil, v, end)
		if err != nil {
			return err
		}
		operands := end.OperandValues()
		end.SetOperands(slices.Concat(operands[:i], elements, operands[i+1:])...)
		splitAttributes(f, "res_attrs", i, len(elements))
		if v.IsResult() && v.Owner().Name() == "stablehlo.tuple" && !v.HasUses() {
			if err := v.Owner().Erase(); err != nil {
				return err
			}
		}
	}
	cutSignature(f, [2][]bool{})
	return nil
}

// parameters adds parameters for the arrays of a tuple, and returns the tuple of them.
func parameters(block mlir.Block, at *int, t mlir.Type, loc mlir.Location) (mlir.Value, error) {
	elements, isTuple := t.Elements()
	if !isTuple {
		*at++
		return block.InsertArgument(*at-1, t, loc), nil
	}
	var values []mlir.Value
	for _, e := range elements {
		v, err := parameters(block, at, e, loc)
		if err != nil {
			return mlir.Value{}, err
		}
		values = append(values, v)
	}
	op, err := mlir.Create(t.Context(), mlir.OperationState{
		Name: "stablehlo.tuple", Location: loc, Operands: values, Results: []mlir.Type{t},
	})
	if err != nil {
		return mlir.Value{}, err
	}
	// An inner tuple is before the outer one.
	first := block.First()
	for !first.IsNil() && first.Name() == "stablehlo.tuple" && len(values) > 0 && uses(op, first) {
		first = first.Next()
	}
	return block.InsertBefore(first, op).Result(0), nil
}

func uses(op, of mlir.Operation) bool {
	return slices.ContainsFunc(op.OperandValues(), func(v mlir.Value) bool { return v.IsResult() && v.Owner() == of })
}

// splitAttributes replaces the attributes of one parameter or result by those of n, which have
// none.
func splitAttributes(f mlir.Operation, list string, at, n int) {
	a, ok := f.Attribute(list)
	if !ok {
		return
	}
	elements, _ := a.Elements()
	if at >= len(elements) {
		return
	}
	c := f.Context()
	none := slices.Repeat([]mlir.Attribute{c.DictionaryAttribute()}, n)
	f.SetAttribute(list, c.ArrayAttribute(slices.Concat(elements[:at], none, elements[at+1:])...))
}

// elementsOf appends the arrays in a value, which may be a tuple.
func elementsOf(list []mlir.Value, v mlir.Value, before mlir.Operation) ([]mlir.Value, error) {
	elements, isTuple := v.Type().Elements()
	if !isTuple {
		return append(list, v), nil
	}
	for i, t := range elements {
		element, err := elementOf(v, i, t, before)
		if err != nil {
			return nil, err
		}
		if list, err = elementsOf(list, element, before); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// elementOf returns an element of a tuple.
func elementOf(v mlir.Value, i int, t mlir.Type, before mlir.Operation) (mlir.Value, error) {
	if v.IsResult() && v.Owner().Name() == "stablehlo.tuple" {
		return v.Owner().Operand(i), nil
	}
	c := v.Type().Context()
	op, err := mlir.Create(mlir.Before(before), mlir.OperationState{
		Name: "stablehlo.get_tuple_element", Location: before.Location(), Operands: []mlir.Value{v},
		Results: []mlir.Type{t},
		Attributes: []mlir.NamedAttribute{
			{Name: "index", Value: c.IntegerAttribute(c.IntegerType(32, mlir.Signless), int64(i))}},
	})
	if err != nil {
		return mlir.Value{}, err
	}
	return op.Result(0), nil
}

// arraysOf appends the types of the arrays in a type, which may be a tuple.
func arraysOf(list []mlir.Type, t mlir.Type) []mlir.Type {
	elements, isTuple := t.Elements()
	if !isTuple {
		return append(list, t)
	}
	for _, e := range elements {
		list = arraysOf(list, e)
	}
	return list
}
