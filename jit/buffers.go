package jit

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
	"github.com/calliope-mlir/calliope/mlir/dialect/bufferization"
	"github.com/calliope-mlir/calliope/mlir/dialect/linalg"
	"github.com/calliope-mlir/calliope/mlir/dialect/tensor"
)

// giveBuffers makes buffers of the parameters of main, which it only reads, and adds one for each result, to which it
// writes. Bufferization then computes results in place. A parameter that is a Donor is read from the buffer of its
// result, where it is when a run begins.
func giveBuffers(m *mlir.Module, e *Executable) error {
	f, err := main(m)
	if err != nil {
		return err
	}
	body := f.Region(0).First()
	b := mlir.NewBuilder(mlir.AtStart(body), f.Location())
	read := readParameters(b, body)
	places := e.storeResults(b, body, read)
	if b.Err() != nil {
		return b.Err()
	}
	for result, parameter := range e.donors {
		read[parameter].ReplaceAllUses(places[result])
	}
	setParameters(f, mlir.TypesOf(body.ArgumentValues()))
	f.RemoveAttribute("sym_visibility")
	f.RemoveAttribute("res_attrs")
	return nil
}

// readParameters makes buffers of the parameters, and returns the tensors that are read from them.
func readParameters(b *mlir.Builder, body mlir.Block) []mlir.Value {
	read := make([]mlir.Value, body.NumArguments())
	for i, a := range body.Arguments() {
		t := a.Type()
		plain, buffer := bufferOf(b, t)
		if b.Err() != nil {
			return nil
		}
		a.SetType(buffer)
		if isEmpty(t) {
			a.ReplaceAllUses(cast(b, tensor.Empty(b, plain), t))
			continue
		}
		op := bufferization.ToTensorOp{Buffer: a, Restrict: true, ResultType: plain}.Create(b)
		read[i] = op.Result(0)
		a.ReplaceAllUsesExcept(cast(b, read[i], t), op)
	}
	return read
}

// storeResults adds the buffers of the results, and returns the tensors in them. Each result is stored in that tensor
// first, where bufferization sees which values are still needed in that memory, and only then in the buffer, which
// copies nothing if it is there.
func (e *Executable) storeResults(b *mlir.Builder, body mlir.Block, read []mlir.Value) (places []mlir.Value) {
	end := body.Terminator()
	start, at := b.At(mlir.AtStart(body)), b.At(mlir.Before(end))
	values, buffers := end.OperandValues(), make([]mlir.Value, end.NumOperands())
	places = make([]mlir.Value, len(values))
	for i, v := range values {
		plain, buffer := bufferOf(b, v.Type())
		if b.Err() != nil {
			return nil
		}
		buffers[i] = body.AddArgument(buffer, end.Location())
		if isEmpty(v.Type()) {
			continue
		}
		places[i] = bufferization.ToTensorOp{
			Buffer: buffers[i], Restrict: true, Writable: true, ResultType: plain}.Create(start).Result(0)
		values[i] = e.kept(at, i, cast(at, v, plain), read)
	}
	for _, donors := range []bool{false, true} { // the results that may be in the memory of parameters are the last
		for i, to := range places {
			if _, donor := e.Donor(i); !to.IsNil() && donor == donors {
				values[i] = bufferization.MaterializeInDestinationOp{
					Source: values[i], Dest: to, ResultType: to.Type()}.Create(at).Result(0)
			}
		}
	}
	for i, to := range places {
		if !to.IsNil() {
			bufferization.MaterializeInDestinationOp{
				Source: values[i], Dest: buffers[i], Restrict: true, Writable: true}.Create(at)
		}
	}
	end.SetOperands()
	return places
}

// kept returns the value of a result: a copy if it may be in the buffer of another result, which is a parameter in that
// buffer and may be stored before, or if arrays that are changed in place are copies: see rewrite.
func (e *Executable) kept(b *mlir.Builder, result int, v mlir.Value, read []mlir.Value) mlir.Value {
	if e.copies {
		return bufferization.AllocTensorOp{Copy: v, ResultType: v.Type()}.Create(b).Result(0)
	}
	if _, donor := e.Donor(result); !donor {
		return v
	}
	taken := func(v mlir.Value) bool {
		for other, parameter := range e.donors {
			if other != result && viewed(v).Equal(read[parameter]) {
				return true
			}
		}
		return false
	}
	from := viewed(v)
	if !taken(from) && (from.IsArgument() || strings.HasPrefix(from.Owner().Name(), "linalg.") ||
		!slices.ContainsFunc(from.Owner().OperandValues(), taken)) {
		return v
	}
	return bufferization.AllocTensorOp{Copy: v, ResultType: v.Type()}.Create(b).Result(0)
}

// views are the operations whose results are in the memory of their operand.
var views = []string{"builtin.unrealized_conversion_cast", "tensor.cast", "tensor.collapse_shape",
	"tensor.expand_shape", "tensor.extract_slice"}

// viewed returns the value that a value is a view of.
func viewed(v mlir.Value) mlir.Value {
	for v.IsResult() && slices.Contains(views, v.Owner().Name()) {
		v = v.Owner().Operand(0)
	}
	return v
}

// storeOnce copies a value that is stored in several buffers from the first one. The pass eliminate-empty-tensors would
// compute it in each of them, and bufferization would refuse that.
func storeOnce(m *mlir.Module, _ *Executable) error {
	stored := map[mlir.Value]mlir.Operation{}
	for store := range m.Operation().Index().Named("bufferization.materialize_in_destination") {
		value := store.Operand(0)
		if first, ok := stored[value]; !ok {
			stored[value] = store
		} else if first.Block().Equal(store.Block()) && first.NumResults() > 0 {
			store.SetOperand(0, first.Result(0))
		}
	}
	return nil
}

// setParameters sets the type of a function without results.
func setParameters(f mlir.Operation, types []mlir.Type) {
	c := f.Context()
	f.SetAttribute("function_type", c.TypeAttribute(c.FunctionType(types, nil)))
	// Memory that is written overlaps no other: CallInto forbids it.
	alone := c.DictionaryAttribute(mlir.NamedAttribute{Name: "llvm.noalias", Value: c.UnitAttribute()})
	f.SetAttribute("arg_attrs", c.ArrayAttribute(slices.Repeat([]mlir.Attribute{alone}, len(types))...))
}

// cast returns a value as one of a type that differs in signs.
func cast(b *mlir.Builder, v mlir.Value, t mlir.Type) mlir.Value {
	if v.Type().Equal(t) {
		return v
	}
	return b.Create(mlir.OperationState{Name: "builtin.unrealized_conversion_cast", Operands: []mlir.Value{v},
		Results: []mlir.Type{t}}).Result(0)
}

// bufferOf returns a type of tensors without signs, as linalg has them, and that of buffers for them.
func bufferOf(b *mlir.Builder, t mlir.Type) (plain, buffer mlir.Type) {
	c := b.Context()
	elem, _ := t.Element()
	dims, _ := t.Dims()
	if bits, sign, ok := elem.IntegerWidth(); ok && sign != mlir.Signless {
		elem = c.IntegerType(bits, mlir.Signless)
	}
	plain, err := c.TensorType(elem, dims...)
	b.Fail(err)
	if isEmpty(t) { // of several dimensions, it could not be passed as a pointer
		dims = []int64{0}
	}
	buffer, err = c.MemRefType(elem, mlir.MemRefOptions{}, dims...)
	b.Fail(err)
	return plain, buffer
}

// isEmpty reports whether arrays of a type have no elements.
func isEmpty(t mlir.Type) bool {
	n, ok := t.NumElements()
	return ok && n == 0
}

// copyByLoops makes loops of the copies between buffers that are not as a whole in row-major order. The others are one
// call of memcpy.
func copyByLoops(m *mlir.Module, _ *Executable) error {
	var copies []mlir.Operation
	for op := range m.Operation().All() {
		if op.Name() == "memref.copy" && !(isWhole(op.Operand(0).Type()) && isWhole(op.Operand(1).Type())) {
			copies = append(copies, op)
		}
	}
	for _, op := range copies {
		b := mlir.NewBuilder(mlir.Before(op), op.Location())
		dims, _ := op.Operand(0).Type().Dims()
		same := affine.Identity(m.Context(), len(dims))
		linalg.Generic(b, []affine.Map{same, same}, slices.Repeat([]string{linalg.ParallelLoop}, len(dims)),
			[]mlir.Value{op.Operand(0)}, []mlir.Value{op.Operand(1)},
			func(in []mlir.Value) []mlir.Value { return in[:1] })
		if b.Err() != nil {
			return b.Err()
		}
		if err := op.Erase(); err != nil {
			return err
		}
	}
	return nil
}

// isWhole reports whether buffers of a type are in row-major order without gaps.
func isWhole(t mlir.Type) bool {
	layout, ok := affine.LayoutOf(t)
	return !ok || layout.IsIdentity()
}
