package stablehlo

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// staticCalls has the custom calls by which jax.export writes operations of which an operand, and not an attribute,
// says a size. StableHLO's own passes do not know them. Each function returns what computes the results of a call whose
// operands are static, and nil if a size is not constant.
var staticCalls = map[string]func(m *mlir.Module, call CustomCallOp, op mlir.Operation, b *mlir.Builder) (
	[]mlir.Value, error,
){
	"stablehlo.dynamic_approx_top_k":      staticApproxTopK,
	"stablehlo.dynamic_reduce_window":     staticWindow,
	"stablehlo.dynamic_rng_bit_generator": staticRandomBits,
	"stablehlo.dynamic_top_k":             staticTopK,
}

// replaceCalls replaces the calls of staticCalls whose sizes are known by now. It reports whether there was one.
func replaceCalls(m *mlir.Module, main mlir.Operation) (replaced bool, err error) {
	for op := range main.Index().Named("stablehlo.custom_call") {
		call, _ := AsCustomCall(op)
		static := staticCalls[call.Target]
		if static == nil || slices.ContainsFunc(call.Operands, func(v mlir.Value) bool { return isDynamic(v.Type()) }) {
			continue
		}
		b := mlir.NewBuilder(mlir.Before(op), op.Location())
		results, err := static(m, call, op, b)
		if err == nil {
			err = b.Cause()
		}
		if err != nil {
			return replaced, refineError(op, "%v", err)
		}
		if len(results) != len(call.Results) {
			continue
		}
		for i, r := range op.ResultValues() {
			v, err := withType(op, results[i], r.Type())
			if err != nil {
				return replaced, err
			}
			r.ReplaceAllUses(v)
		}
		if err := op.Erase(); err != nil {
			return replaced, err
		}
		replaced = true
	}
	return replaced, nil
}

// staticWindow makes a reduce_window. Its operands are the inputs, the initial values, and five tensors: window
// dimensions, strides, base dilations, window dilations and padding.
func staticWindow(m *mlir.Module, call CustomCallOp, _ mlir.Operation, b *mlir.Builder) ([]mlir.Value, error) {
	n := len(call.Results)
	if n == 0 || len(call.Operands) != 2*n+5 || len(call.CalledComputations) != 1 {
		return nil, nil
	}
	body, ok := m.SymbolTable().Lookup(call.CalledComputations[0])
	if !ok || body.Name() != function || body.Region(0).NumBlocks() != 1 {
		return nil, nil
	}
	var window [5][]int64
	for i, v := range call.Operands[2*n:] {
		if window[i], ok = integersOf(v); !ok {
			return nil, nil
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
	var err error
	if reduce.Body, err = bodyOf(body); err != nil {
		return nil, err
	}
	return reduce.Create(b).ResultValues(), nil
}

// staticTopK makes a chlo.top_k. Its operands are an array and the number of elements.
func staticTopK(_ *mlir.Module, call CustomCallOp, _ mlir.Operation, b *mlir.Builder) ([]mlir.Value, error) {
	if len(call.Operands) != 2 || len(call.Results) != 2 {
		return nil, nil
	}
	k, ok := integersOf(call.Operands[1])
	dims, _ := call.Operands[0].Type().Dims()
	if !ok || len(k) != 1 || len(dims) == 0 {
		return nil, nil
	}
	dims = append(slices.Clone(dims[:len(dims)-1]), k[0])
	types, err := withDims(call.Results, dims, dims)
	if err != nil {
		return nil, err
	}
	c := b.Context()
	size := c.IntegerAttribute(c.IntegerType(64, mlir.Signless), k[0])
	return b.Create(mlir.OperationState{Name: "chlo.top_k", Operands: call.Operands[:1], Results: types,
		Attributes: []mlir.NamedAttribute{{Name: "k", Value: size}},
	}).ResultValues(), nil
}

// staticApproxTopK makes a call of XLA's ApproxTopK. Its operands are n arrays and n initial values, the number of
// elements, and the shapes of the results, until these are refined.
func staticApproxTopK(_ *mlir.Module, call CustomCallOp, op mlir.Operation, b *mlir.Builder) ([]mlir.Value, error) {
	n := len(call.Results)
	config, typed := TypedConfig(op)
	if len(call.Operands) <= 2*n || slices.ContainsFunc(call.Results, isDynamic) || !typed || config.IsNil() {
		return nil, nil
	}
	k, ok := integersOf(call.Operands[2*n])
	if !ok || len(k) != 1 {
		return nil, nil
	}
	c := b.Context()
	entries := []mlir.NamedAttribute{{Name: "top_k",
		Value: c.IntegerAttribute(c.IntegerType(64, mlir.Signless), k[0])}}
	for name, value := range config.Entries() {
		entries = append(entries, mlir.NamedAttribute{Name: name, Value: value})
	}
	return CustomCallOp{
		Target: "ApproxTopK", Operands: call.Operands[:2*n], Results: call.Results, APIVersion: TypedFFI,
		CalledComputations: call.CalledComputations, BackendConfig: c.DictionaryAttribute(entries...),
	}.Create(b).ResultValues(), nil
}

// staticRandomBits makes an rng_bit_generator. Its operands are the state and the shape of the bits.
func staticRandomBits(_ *mlir.Module, call CustomCallOp, op mlir.Operation, b *mlir.Builder) ([]mlir.Value, error) {
	a, _ := op.Attribute("rng_algorithm")
	if len(call.Operands) != 2 || len(call.Results) != 2 || a.IsNil() {
		return nil, nil
	}
	algorithm, known := AsRngAlgorithm(a)
	dims, ok := integersOf(call.Operands[1])
	if !known || !ok {
		return nil, nil
	}
	types, err := withDims(call.Results[1:], dims)
	if err != nil {
		return nil, err
	}
	state := call.Operands[0]
	after, bits := RngBitGenerator(b, state.Type(), types[0], algorithm, state)
	return []mlir.Value{after, bits}, nil
}

// withDims returns tensor types with other dimensions.
func withDims(types []mlir.Type, dims ...[]int64) ([]mlir.Type, error) {
	list := make([]mlir.Type, len(types))
	for i, t := range types {
		element, shaped := t.Element()
		if !shaped {
			return nil, fmt.Errorf("its result %d is %s, and no tensor", i, t)
		}
		var err error
		if list[i], err = t.Context().TensorType(element, dims[i]...); err != nil {
			return nil, err
		}
	}
	return list, nil
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
	return region, b.Cause()
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
	return wrapper.Result(0), b.Cause()
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
