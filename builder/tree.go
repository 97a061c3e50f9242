package builder

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
)

// A pytree is a Value, or a struct, slice, array or map of pytrees. Leaves have the same
// order everywhere: struct fields as declared, slices by index, map keys sorted. Structs
// may have exported fields only.

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
	if !v.IsValid() {
		return v, nil // nil: no leaves
	}
	if v.Type() == valueType {
		leaf, err := f(at, v.Interface().(Value))
		return reflect.ValueOf(leaf), err
	}
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if !field.IsExported() {
				return out, fmt.Errorf("%s: the field %s of %s is not exported", at, field.Name, v.Type())
			}
			leaf, err := mapTree(v.Field(i), at+"."+field.Name, f)
			if err != nil {
				return out, err
			}
			out.Field(i).Set(leaf)
		}
		return out, nil
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		}
		for i := range v.Len() {
			leaf, err := mapTree(v.Index(i), fmt.Sprintf("%s[%d]", at, i), f)
			if err != nil {
				return out, err
			}
			out.Index(i).Set(leaf)
		}
		return out, nil
	case reflect.Map:
		if !v.IsNil() {
			out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		}
		keys, err := sortedKeys(v, at)
		if err != nil {
			return out, err
		}
		for _, k := range keys {
			leaf, err := mapTree(v.MapIndex(k), fmt.Sprintf("%s[%v]", at, k), f)
			if err != nil {
				return out, err
			}
			out.SetMapIndex(k, leaf)
		}
		return out, nil
	}
	return out, fmt.Errorf("%s is a %s: a tree consists of builder.Value, structs, slices, arrays and maps", at, v.Type())
}

func sortedKeys(m reflect.Value, at string) ([]reflect.Value, error) {
	keys := m.MapKeys()
	switch kind := m.Type().Key().Kind(); {
	case kind == reflect.String:
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	case reflect.Int <= kind && kind <= reflect.Int64:
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.Int(), b.Int()) })
	case reflect.Uint <= kind && kind <= reflect.Uint64:
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.Uint(), b.Uint()) })
	default:
		return nil, fmt.Errorf("%s is a map with keys of type %s: they must be strings or integers, which have an order", at, m.Type().Key())
	}
	return keys, nil
}
