package builder

import (
	"fmt"
	"reflect"

	"github.com/calliope-mlir/calliope/internal/run/tree"
)

// A pytree is a Value, or a struct, slice, array or map of pytrees. Leaves are taken in
// the contract's order, see package tree. Structs may hold exported fields only.

var valueType = reflect.TypeFor[Value]()

// leaves returns the values in a pytree. nil has none.
func leaves[T any](tree T) ([]Value, error) {
	if v, ok := any(tree).(Value); ok { // the most frequent case
		return []Value{v}, nil
	}
	var out []Value
	err := eachLeaf(tree, "the argument", func(_ string, v Value) { out = append(out, v) })
	return out, err
}

// eachLeaf calls visit for the values in a pytree, with their places.
func eachLeaf(pytree any, at string, visit func(at string, v Value)) error {
	if pytree == nil {
		return nil
	}
	return tree.Walk(reflect.ValueOf(pytree), valueType, at, "builder.Value", func(at string, v reflect.Value) error {
		visit(at, v.Interface().(Value))
		return nil
	})
}

// rebuild returns a tree of the same structure with the given leaves.
func rebuild[T any](pytree T, values []Value) T {
	if _, ok := any(pytree).(Value); ok {
		return any(values[0]).(T)
	}
	if any(pytree) == nil {
		return pytree
	}
	next := 0
	m := tree.Mirror{Leaf: valueType, Leaves: "builder.Value", Visit: func(_ string, _, to reflect.Value) error {
		next++
		to.Set(reflect.ValueOf(values[next-1]))
		return nil
	}}
	from := reflect.ValueOf(pytree) // of the type in an interface
	to := reflect.New(from.Type()).Elem()
	if err := m.Walk(from, to, ""); err != nil {
		panic("BUG: builder: a tree was taken apart but cannot be put together: " + err.Error())
	}
	return to.Interface().(T)
}

// placeholders returns a tree of the same structure with placeholders as leaves, after a mistake.
func placeholders[T any](f *Func, tree T) T {
	values, err := leaves(tree)
	if err != nil {
		return tree
	}
	for i := range values {
		values[i] = f.missing()
	}
	return rebuild(tree, values)
}

// MapTrees calls f with the values at each place of trees of one structure, and returns a tree of its results. f is
// called once, while building.
func MapTrees[T any](f func(values ...Value) Value, trees ...T) T {
	if len(trees) == 0 {
		panic("builder: MapTrees takes a tree")
	}
	lists := make([][]Value, len(trees))
	for i, t := range trees {
		values, err := leaves(t)
		if err == nil && len(values) != len(lists[0]) && i > 0 {
			err = fmt.Errorf("tree %d has %d values, and the first has %d", i, len(values), len(lists[0]))
		}
		if err != nil {
			mustFuncOf(append(values, lists[0]...)...).b.Fail("map trees", err)
			return trees[0]
		}
		lists[i] = values
	}
	out := make([]Value, len(lists[0]))
	for place := range out {
		values := make([]Value, len(lists))
		for i, list := range lists {
			values[i] = list[place]
		}
		out[place] = f(values...)
	}
	return rebuild(trees[0], out)
}
