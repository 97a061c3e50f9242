package builder

import (
	"errors"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// Composite adds an operation that a compiler may know by its name, such as "my.gelu". A
// compiler that does not know it uses decomposition in its place, a complete function of
// the module. At least one argument is needed. attributes is a struct or a map of numbers,
// strings, bools, and structs, maps and slices of them, as in CustomCallOptions, or nil for
// none.
func Composite(name string, attributes any, decomposition *Func, args ...Value) []Value {
	s := begin("composite", args...)
	if s.ok {
		if err := decomposition.callable(s.f, args); err != nil {
			s.fail("the decomposition: %w", err)
		} else if len(decomposition.body.effects) > 0 {
			s.fail("the decomposition %q has ordered callbacks, which a compiler that knows the composite would drop", decomposition.name)
		}
	}
	if !s.ok {
		return s.f.missingResults(decomposition)
	}
	results := decomposition.resultTypes
	op := stablehlo.CompositeOp{Inputs: mlirs(args), Name: name, Decomposition: decomposition.name,
		ResultTypes: results}
	if attributes != nil {
		a, err := attributeOf(s.f.b.ctx, attributes, 0)
		if err == nil && a.Kind() != mlir.AttrDictionary {
			err = errors.New(" is neither a struct nor a map")
		}
		if err != nil {
			s.fail("the value of attributes%w", err)
		}
		op.CompositeAttributes = a
	}
	return s.many(len(results), op)
}

// OptimizationBarrier returns the values of a tree once all of them are computed. The
// compiler moves nothing across it.
func OptimizationBarrier[T any](tree T) T {
	s, values := trees("optimization_barrier", tree)
	if !s.ok {
		return tree
	}
	return rebuild(tree, s.many(len(values[0]), stablehlo.OptimizationBarrierOp{Operand: mlirs(values[0])}))
}

// Tuple returns one value that holds several. Use it only for operations that need a tuple:
// functions and regions have several results of their own.
func Tuple(xs ...Value) Value {
	s := begin("tuple", xs...)
	return s.one(stablehlo.TupleOp{Val: mlirs(xs)})
}

// GetTupleElement returns the i-th value of a tuple.
func GetTupleElement(tuple Value, i int) Value {
	s := begin("get_tuple_element", tuple)
	if s.ok && !tuple.v.Type().IsTuple() {
		return s.fail("%s is not a tuple", tuple.v.Type())
	}
	if i != int(int32(i)) {
		return s.fail("the index %d is out of range", i)
	}
	return s.one(stablehlo.GetTupleElementOp{Operand: tuple.v, Index: int32(i)})
}
