package transform

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
)

// Unpack takes the tuples and futures of a function apart, so that the values in them are used directly: the elements
// of a tuple that the function makes, the results of a custom call that returns them as a tuple, and what an
// asynchronous operation computes, which is then synchronous. A tuple or future that is used in another way stays. A
// reduction to one device becomes one to all, of which the others take zeros.
func Unpack(f mlir.Operation) {
	index := f.Index()
	for start := range index.Named("stablehlo.async_start") {
		Must(rewrite.Synchronous(start))
	}
	for call := range index.Named("stablehlo.custom_call") {
		spread(call)
	}
	for op := range index.Named("stablehlo.get_tuple_element") {
		tuple := op.Operand(0)
		if !tuple.IsResult() || tuple.Owner().Name() != "stablehlo.tuple" {
			continue
		}
		a, _ := op.Attribute("index")
		i, _ := a.Int()
		op.Result(0).ReplaceAllUses(tuple.Owner().Operand(int(i)))
		Check(op.Erase())
	}
	for op := range index.Named("stablehlo.collective_reduce") {
		if err := rewrite.ExpandCollectiveReduce(op); err != nil {
			Fail(op, "%v", err)
		}
	}
	for _, op := range slices.Backward(slices.Collect(f.All())) {
		if op.Name() == "stablehlo.tuple" && !IsUsed(op) {
			Check(op.Erase())
		}
	}
}

// spread gives a custom call that returns a tuple a result for each element, and makes the tuple of them.
func spread(call mlir.Operation) {
	if call.NumResults() != 1 {
		return
	}
	types, ok := call.Result(0).Type().Elements()
	if !ok || len(types) < 2 { // a call of one result returns no tuple
		return
	}
	s := mlir.OperationState{
		Name: call.Name(), Location: call.Location(), Operands: call.OperandValues(), Results: types,
	}
	for name, a := range call.Attributes() {
		s.Attributes = append(s.Attributes, mlir.NamedAttribute{Name: name, Value: a})
	}
	made := Must(mlir.Create(mlir.Before(call), s))
	tuple := Must(mlir.Create(mlir.Before(call), mlir.OperationState{
		Name: "stablehlo.tuple", Location: call.Location(), Operands: made.ResultValues(), InferResults: true,
	}))
	call.Result(0).ReplaceAllUses(tuple.Result(0))
	Check(call.Erase())
}
