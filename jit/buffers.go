package jit

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/bufferization"
	"github.com/calliope-mlir/calliope/mlir/dialect/linalg"
	"github.com/calliope-mlir/calliope/mlir/dialect/tensor"
)

// giveBuffers makes buffers of the parameters of main, which it only reads, and adds one for each result, to which it
// writes. Bufferization then computes results in place.
func giveBuffers(m *mlir.Module, _ *Executable) error {
	f, err := main(m)
	if err != nil {
		return err
	}
	body := f.Region(0).First()
	_, out := typesOf(f)
	var types []mlir.Type
	b := mlir.NewBuilder(mlir.AtStart(body), f.Location())
	for _, a := range body.Arguments() {
		t := a.Type()
		plain, buffer := bufferOf(b, t)
		if b.Err() != nil {
			return b.Err()
		}
		types = append(types, buffer)
		a.SetType(buffer)
		if isEmpty(t) {
			a.ReplaceAllUses(cast(b, tensor.Empty(b, plain), t))
			continue
		}
		read := bufferization.ToTensorOp{Buffer: a, Restrict: true, ResultType: plain}.Create(b)
		a.ReplaceAllUsesExcept(cast(b, read.Result(0), t), read)
	}
	// Each result is stored in a tensor of its buffer first, where bufferization sees which values are still needed in
	// that memory, and only then in the buffer, which copies nothing if it is there.
	end := body.Terminator()
	start, at := b.At(mlir.AtStart(body)), b.At(mlir.Before(end))
	stored, given := make([]mlir.Value, len(out)), make([]mlir.Value, len(out))
	for i, t := range out {
		plain, buffer := bufferOf(b, t)
		if b.Err() != nil {
			return b.Err()
		}
		types = append(types, buffer)
		given[i] = body.AddArgument(buffer, f.Location())
		if isEmpty(t) {
			continue
		}
		to := bufferization.ToTensorOp{
			Buffer: given[i], Restrict: true, Writable: true, ResultType: plain}.Create(start)
		stored[i] = bufferization.MaterializeInDestinationOp{
			Source: cast(at, end.Operand(i), plain), Dest: to.Result(0), ResultType: plain,
		}.Create(at).Result(0)
	}
	for i, v := range stored {
		if v.IsNil() {
			continue
		}
		bufferization.MaterializeInDestinationOp{Source: v, Dest: given[i], Restrict: true, Writable: true}.Create(at)
	}
	if b.Err() != nil {
		return b.Err()
	}
	end.SetOperands()
	setParameters(f, types)
	f.RemoveAttribute("sym_visibility")
	f.RemoveAttribute("arg_attrs")
	f.RemoveAttribute("res_attrs")
	return nil
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
		same := m.Context().IdentityMap(len(dims))
		linalg.Generic(b, []mlir.AffineMap{same, same}, slices.Repeat([]string{linalg.ParallelLoop}, len(dims)),
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
	layout, ok := t.LayoutMap()
	return !ok || layout.IsIdentity()
}
