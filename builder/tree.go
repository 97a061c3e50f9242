package builder

import (
	"fmt"
	"reflect"

	"github.com/calliope-mlir/calliope/internal/tree"
)

// A pytree is a Value, or a struct, slice, array or map of pytrees. Leaves are taken in
// the contract's order, see package tree. Structs may hold exported fields only.

var valueType = reflect.TypeFor[Value]()

// leaves returns the values in a pytree.
func leaves[T any](tree T) ([]Value, error) {
	if v, ok := any(tree).(Value); ok { // the most frequent case
		return []Value{v}, nil
	}
	var out []Value
	_, err := mapTree(reflect.ValueOf(tree), "the argument", func(_ string, v Value) (Value, error) {
		out = append(out, v)
		return v, nil
	})
	return out, err
}

// rebuild returns a tree of the same structure with the given leaves.
func rebuild[T any](tree T, values []Value) T {
	if _, ok := any(tree).(Value); ok {
		return any(values[0]).(T)
	}
	next := 0
	out, err := mapTree(reflect.ValueOf(tree), "", func(string, Value) (Value, error) {
		next++
		return values[next-1], nil
	})
	if err != nil {
		panic("BUG: builder: a tree was taken apart but cannot be put together: " + err.Error())
	}
	if !out.IsValid() {
		return tree
	}
	return out.Interface().(T)
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

// mapTree copies a tree and applies f to each leaf and its place in the tree.
func mapTree(v reflect.Value, at string, f func(string, Value) (Value, error)) (reflect.Value, error) {
	return mapTreeTo(tree.MaxDepth, v, at, f)
}

func mapTreeTo(depth int, v reflect.Value, at string, f func(string, Value) (Value, error)) (reflect.Value, error) {
	if !v.IsValid() {
		return v, nil // nil: no leaves
	}
	t := v.Type()
	if t == valueType {
		leaf, err := f(at, v.Interface().(Value))
		return reflect.ValueOf(leaf), err
	}
	out := reflect.New(t).Elem()
	if depth == 0 {
		return out, tree.ErrDepth
	}
	switch {
	case t.Kind() == reflect.Slice && !v.IsNil():
		out.Set(reflect.MakeSlice(t, v.Len(), v.Len()))
	case t.Kind() == reflect.Map && !v.IsNil():
		out.Set(reflect.MakeMapWithSize(t, v.Len()))
	}
	err := tree.Each(v, at, "builder.Value", func(i int, b tree.Branch) error {
		branch, err := mapTreeTo(depth-1, b.Value, b.At, f)
		if err != nil {
			return err
		}
		switch t.Kind() {
		case reflect.Struct:
			out.Field(i).Set(branch)
		case reflect.Map:
			out.SetMapIndex(b.Key, branch)
		default:
			out.Index(i).Set(branch)
		}
		return nil
	})
	return out, err
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
