package builder

import (
	"fmt"
	"maps"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// Composite is an operation made of others, which a compiler may know by its name, such
// as "my.gelu"; one that doesn't puts decomposition in its place, a function of the
// module that has returned. There is one argument at least. The attributes' values are bools, strings, int64, float64, and
// slices and maps of those with string keys.
func Composite(name string, attributes map[string]any, decomposition *Func, args ...Value) []Value {
	s := begin("composite", args...)
	if s.ok {
		if err := decomposition.callable(s.f, args); err != nil {
			s.fail("the decomposition: %w", err)
		} else if len(decomposition.body.effects) > 0 {
			s.fail("the decomposition %q has ordered callbacks, and a compiler that knows the composite would leave them out", decomposition.name)
		}
	}
	if !s.ok {
		return s.f.nothings(decomposition)
	}
	results := decomposition.resultTypes
	op := stablehlo.Composite{Inputs: mlirs(args), Name: name, Decomposition: decomposition.name, Results: results}
	if attributes != nil {
		a, err := attribute(s.f.b.ctx, attributes)
		if err != nil {
			s.fail("the attributes: %w", err)
		}
		op.CompositeAttributes = a
	}
	return s.many(len(results), op)
}

// attribute is a Go value as an attribute.
func attribute(ctx *mlir.Context, v any) (mlir.Attribute, error) {
	switch v := v.(type) {
	case bool:
		return ctx.BoolAttribute(v), nil
	case string:
		return ctx.StringAttribute(v), nil
	case int:
		return ctx.IntegerAttribute(ctx.IntegerType(64, mlir.Signless), int64(v)), nil
	case int64:
		return ctx.IntegerAttribute(ctx.IntegerType(64, mlir.Signless), v), nil
	case float64:
		return ctx.FloatAttribute(ctx.F64Type(), v), nil
	case []any:
		list := make([]mlir.Attribute, len(v))
		for i, e := range v {
			a, err := attribute(ctx, e)
			if err != nil {
				return mlir.Attribute{}, fmt.Errorf("element %d: %w", i, err)
			}
			list[i] = a
		}
		return ctx.ArrayAttribute(list...), nil
	case map[string]any:
		entries := make([]mlir.NamedAttribute, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			a, err := attribute(ctx, v[key])
			if err != nil {
				return mlir.Attribute{}, fmt.Errorf("%q: %w", key, err)
			}
			entries = append(entries, mlir.NamedAttribute{Name: key, Value: a})
		}
		return ctx.DictionaryAttribute(entries...), nil
	}
	return mlir.Attribute{}, fmt.Errorf("a %T has no attribute: use bool, string, int64, float64, []any or map[string]any", v)
}

// OptimizationBarrier gives the values of a tree back, once all of them are there: the
// compiler moves nothing across it.
func OptimizationBarrier[T any](tree T) T {
	s, values := trees("optimization_barrier", tree)
	if !s.ok {
		return tree
	}
	return rebuild(tree, s.many(len(values[0]), stablehlo.OptimizationBarrier{Operand: mlirs(values[0])}))
}

// Tuple is one value of several. Tuples are for what asks for them; functions and regions
// have several results of their own.
func Tuple(xs ...Value) Value {
	s := begin("tuple", xs...)
	return s.one(stablehlo.Tuple{Val: mlirs(xs)})
}

// GetTupleElement is the i-th value of a tuple.
func GetTupleElement(tuple Value, i int) Value {
	s := begin("get_tuple_element", tuple)
	if s.ok && !tuple.v.Type().IsTuple() {
		return s.fail("%s is no tuple", tuple.v.Type())
	}
	return s.one(stablehlo.GetTupleElement{Operand: tuple.v, Index: int32(i)})
}
