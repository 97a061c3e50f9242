package builder

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// AsyncStart starts an operation on xs that runs while others do, and returns its future, which only AsyncDone takes.
// body adds that operation alone: one of those of CollectiveOptions, Slice, DynamicSlice or DynamicUpdateSlice, whose
// operands are those of body, in this order:
//
//	future := builder.AsyncStart(func(x []builder.Value) builder.Value {
//		return builder.AllReduce(x[0], builder.Add, builder.CollectiveOptions{})
//	}, x)
//	… // what does not need the sum
//	sum := builder.AsyncDone(future)
func AsyncStart(body func(xs []Value) Value, xs ...Value) Value {
	s := begin("async_start", xs...)
	if !s.ok {
		return s.none()
	}
	if body == nil {
		return s.fail("its Go function is nil")
	}
	types := make([]mlir.Type, len(xs))
	for i, x := range xs {
		types[i] = x.v.Type()
	}
	region, _, ok := s.f.region(s.at, "the body of the async_start", types, false, func(xs []Value) []Value {
		return []Value{body(xs)}
	})
	s.ok = ok
	return s.one(stablehlo.AsyncStartOp{Operands: mlirs(xs), Body: region})
}

// AsyncDone waits for an operation that AsyncStart started, and returns its result.
func AsyncDone(future Value) Value {
	s := begin("async_done", future)
	return s.one(stablehlo.AsyncDoneOp{Operand: future.v})
}
