package stablehlo

import (
	"errors"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// dynamicReduceWindow is the target of the custom call by which jax.export writes a
// reduce_window whose window depends on a dimension. Its operands are the inputs, the initial
// values, and five tensors: window dimensions, strides, base dilations, window dilations and
// padding. StableHLO's own passes do not know it.
const dynamicReduceWindow = "stablehlo.dynamic_reduce_window"

// staticWindows replaces each dynamic reduce_window whose operands are static and whose
// window is constant. It reports whether there was one.
func staticWindows(m *mlir.Module, main mlir.Operation) (replaced bool, err error) {
	var calls []mlir.Operation
	main.Walk(func(op mlir.Operation) mlir.WalkAction {
		if call, ok := AsCustomCall(op); ok && call.Target == dynamicReduceWindow {
			calls = append(calls, op)
		}
		return mlir.WalkContinue
	})
	for _, op := range calls {
		done, err := staticWindow(m, op)
		if err != nil {
			return replaced, err
		}
		replaced = replaced || done
	}
	return replaced, nil
}

func staticWindow(m *mlir.Module, op mlir.Operation) (done bool, err error) {
	call, _ := AsCustomCall(op)
	n := len(call.Results)
	if n == 0 || len(call.Operands) != 2*n+5 || len(call.CalledComputations) != 1 {
		return false, nil
	}
	body, ok := m.SymbolTable().Lookup(call.CalledComputations[0])
	if !ok || body.Name() != function || body.Region(0).NumBlocks() != 1 {
		return false, nil
	}
	var window [5][]int64
	for i, v := range call.Operands {
		if isDynamic(v.Type()) {
			return false, nil
		}
		if j := i - 2*n; j >= 0 {
			if window[j], ok = integersOf(v); !ok {
				return false, nil
			}
		}
	}
	padding := make([][2]int64, len(window[4])/2)
	for i := range padding {
		padding[i] = [2]int64(window[4][2*i:])
	}
	reduce := ReduceWindowOp{
		Inputs: call.Operands[:n], InitValues: call.Operands[n : 2*n],
		WindowDimensions: window[0], WindowStrides: window[1], BaseDilations: window[2], WindowDilations: window[3],
		Padding: padding,
	}
	if reduce.Body, err = bodyOf(body); err != nil {
		return false, err
	}
	b := mlir.NewBuilder(mlir.Before(op), op.Location())
	static := reduce.Create(b)
	if err := errors.Unwrap(b.Err()); err != nil {
		return false, err
	}
	for i := range n {
		v, err := withType(op, static.Result(i), call.Results[i])
		if err != nil {
			return false, err
		}
		op.Result(i).ReplaceAllUses(v)
	}
	return true, op.Erase()
}

// bodyOf returns a copy of a function's body for a reduction.
func bodyOf(f mlir.Operation) (mlir.Region, error) {
	c := f.Context()
	from := f.Region(0).First()
	types := mlir.TypesOf(from.ArgumentValues())
	to := c.NewBlock(f.Location(), types...)
	var m mlir.Mapping
	for i, v := range from.Arguments() {
		m.Map(v, to.Argument(i))
	}
	last := from.Terminator()
	for op := range from.Operations() {
		if op != last {
			to.Append(op.CloneWith(&m))
		}
	}
	var values []mlir.Value
	for _, v := range last.Operands() {
		if mapped, ok := m.Value(v); ok {
			v = mapped
		}
		values = append(values, v)
	}
	b := mlir.NewBuilder(to, last.Location())
	Return(b, values...)
	region := c.NewRegion()
	region.Append(to)
	return region, errors.Unwrap(b.Err())
}

// withType returns v with a more general type, as stablehlo-refine-arguments does it: the
// call that makes it vanishes when stablehlo-refine-shapes refines the type again.
func withType(before mlir.Operation, v mlir.Value, t mlir.Type) (mlir.Value, error) {
	if v.Type() == t {
		return v, nil
	}
	shape, err := ShapeOf(v.Type())
	if err != nil {
		return v, err
	}
	dims := make([]int64, shape.Rank())
	for i, d := range shape.Dims {
		dims[i] = int64(d)
	}
	b := mlir.NewBuilder(mlir.Before(before), before.Location())
	wrapper := CustomCallOp{
		Target:   "stablehlo.shape_refinement_operand_wrapper",
		Operands: []mlir.Value{v, Constant(b, tensor.Vector(dims...))}, Results: []mlir.Type{t}, APIVersion: 1,
	}.Create(b)
	wrapper.SetAttribute("indices_of_shape_operands", b.Attribute("dense<1> : tensor<1xi64>"))
	return wrapper.Result(0), errors.Unwrap(b.Err())
}

// integersOf returns the elements of a constant of signed integers.
func integersOf(v mlir.Value) ([]int64, bool) {
	a, ok := constantOf(v)
	if !ok {
		return nil, false
	}
	view, err := viewOf(a)
	if err != nil {
		return nil, false
	}
	list := make([]int64, view.Shape.NumElements())
	for i := range list {
		switch n := view.At(i).(type) {
		case int64:
			list[i] = n
		case int32:
			list[i] = int64(n)
		default:
			return nil, false
		}
	}
	return list, true
}
