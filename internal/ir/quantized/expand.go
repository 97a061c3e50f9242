// Package quantized puts integers and floats in the place of quantized numbers, as StableHLO's specification defines
// their operations: those that only move elements move the stored integers, and the others compute with the numbers
// that these represent.
package quantized

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// Expand leaves no quantized types in a module, and returns how many operations had some. Parameters and results of
// functions become the stored integers. It adds operations of CHLO, which StableHLO's pass expands.
func Expand(m *mlir.Module) (n int, err error) {
	x := expander{numbers: map[mlir.Value]stablehlo.Quantized{}, known: map[mlir.Type]bool{}}
	var list, functions []mlir.Operation
	for op := range m.Operation().All() {
		some, err := x.note(op)
		if err != nil {
			return 0, failed(op, err)
		}
		if some {
			list = append(list, op)
		}
		if op.Name() == "func.func" {
			functions = append(functions, op)
		}
	}
	if len(list) == 0 && !slices.ContainsFunc(functions, x.declares) {
		return 0, nil
	}
	for v, q := range x.numbers {
		v.SetType(x.with(v.Type(), storage(m.Context(), q)))
	}
	for _, op := range list {
		if err := x.expand(op); err != nil {
			return 0, failed(op, err)
		}
	}
	for _, f := range functions {
		t, _ := f.Attribute("function_type")
		of, _ := t.TypeValue()
		in, out, _ := of.Signature()
		stored := m.Context().FunctionType(x.stored(in), x.stored(out))
		f.SetAttribute("function_type", m.Context().TypeAttribute(stored))
	}
	return len(list), x.err
}

func failed(op mlir.Operation, err error) error {
	return fmt.Errorf("%s at %s: %w", op.Name(), op.Location().Position(), err)
}

// An expander has the quantized values of a module.
type expander struct {
	numbers map[mlir.Value]stablehlo.Quantized // what their integers represent
	known   map[mlir.Type]bool                 // whether a type is quantized
	err     error
}

// note notes the quantized values that an operation makes, and reports whether it makes or takes some.
func (x *expander) note(op mlir.Operation) (some bool, err error) {
	made := op.ResultValues()
	for _, r := range op.Regions() {
		for b := range r.Blocks() {
			made = append(made, b.ArgumentValues()...)
		}
	}
	for _, v := range made {
		if !x.isQuantized(v.Type()) {
			continue
		}
		some = true
		element, _ := v.Type().Element()
		q, ok := stablehlo.AsQuantized(element)
		if !ok {
			return true, fmt.Errorf("its type %s has neither one scale nor one for each index of an axis, "+
				"and others are not known: dequantize it", v.Type())
		}
		x.numbers[v] = q
	}
	return some || slices.ContainsFunc(op.OperandValues(), x.has), nil
}

func (x *expander) isQuantized(t mlir.Type) bool {
	is, ok := x.known[t]
	if !ok {
		is = stablehlo.IsQuantized(t)
		x.known[t] = is
	}
	return is
}

func (x *expander) has(v mlir.Value) bool {
	_, ok := x.numbers[v]
	return ok
}

// declares reports whether a function has quantized parameters or results.
func (x *expander) declares(f mlir.Operation) bool {
	t, _ := f.Attribute("function_type")
	of, _ := t.TypeValue()
	in, out, _ := of.Signature()
	return slices.ContainsFunc(append(in, out...), x.isQuantized)
}

// stored returns types with stored integers in the place of quantized numbers.
func (x *expander) stored(types []mlir.Type) []mlir.Type {
	list := slices.Clone(types)
	for i, t := range list {
		element, _ := t.Element()
		if q, ok := stablehlo.AsQuantized(element); ok {
			list[i] = x.with(t, storage(t.Context(), q))
		}
	}
	return list
}

// with returns a tensor type with other elements.
func (x *expander) with(t, element mlir.Type) mlir.Type {
	made, err := stablehlo.ConvertType(t, element)
	if err != nil && x.err == nil {
		x.err = err
	}
	return made
}

// storage returns the type of the stored integers.
func storage(c *mlir.Context, q stablehlo.Quantized) mlir.Type {
	if q.Unsigned {
		return c.IntegerType(q.Bits, mlir.Unsigned)
	}
	return c.IntegerType(q.Bits, mlir.Signless)
}

// replace replaces an operation of one or several results by values, of which those for quantized results have their
// stored integers.
func (x *expander) replace(op mlir.Operation, values ...mlir.Value) error {
	for i, r := range op.ResultValues() {
		q, ok := x.numbers[r]
		delete(x.numbers, r) // another value may be where it was
		r.ReplaceAllUses(values[i])
		if ok {
			x.numbers[values[i]] = q
		}
	}
	return op.Erase()
}
