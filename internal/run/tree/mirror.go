package tree

import (
	"fmt"
	"reflect"
)

// A Mirror walks two trees of one structure, which may be of different types. It gives the second the lengths and keys
// of the first. What is nil stays nil.
type Mirror struct {
	Leaf     reflect.Type                                  // of a leaf of one of the trees
	Leaves   string                                        // see Each
	Visit    func(at string, from, to reflect.Value) error // is called for each pair of leaves, in order
	Mismatch func(at string, from, to reflect.Value) error // returns the error for another structure
}

// Walk walks two trees until the first error. At names the first one.
func (m Mirror) Walk(from, to reflect.Value, at string) error { return m.walk(MaxDepth, from, to, at) }

func (m Mirror) walk(depth int, from, to reflect.Value, at string) error {
	if from.Type() == m.Leaf || to.Type() == m.Leaf {
		return m.Visit(at, from, to)
	}
	if depth == 0 {
		return ErrDepth
	}
	if !hasBranches(from.Kind()) || !hasBranches(to.Kind()) {
		return m.Mismatch(at, from, to)
	}
	if err := Check(to.Type(), at, m.Leaves); err != nil {
		return err
	}
	kinds := [2]reflect.Kind{from.Kind(), to.Kind()}
	switch {
	case kinds == [2]reflect.Kind{reflect.Struct, reflect.Struct}:
		if from.NumField() != to.NumField() {
			return m.Mismatch(at, from, to)
		}
	case kinds == [2]reflect.Kind{reflect.Map, reflect.Map}:
		if from.Type().Key() != to.Type().Key() {
			return m.Mismatch(at, from, to)
		}
		if !from.IsNil() {
			to.Set(reflect.MakeMapWithSize(to.Type(), from.Len()))
		}
	case IsList(from.Kind()) && to.Kind() == reflect.Slice:
		if from.Kind() == reflect.Array || !from.IsNil() {
			to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
		}
	case IsList(from.Kind()) && to.Kind() == reflect.Array:
		if from.Len() != to.Len() {
			return m.Mismatch(at, from, to)
		}
	default:
		return m.Mismatch(at, from, to)
	}
	return Each(from, at, m.Leaves, func(i int, b Branch) error {
		switch to.Kind() {
		case reflect.Struct:
			if name := to.Type().Field(i).Name; from.Type().Field(i).Name != name {
				return fmt.Errorf("%s is given for the field %s of %s", b.At, name, to.Type())
			}
			return m.walk(depth-1, b.Value, to.Field(i), b.At)
		case reflect.Map:
			value := reflect.New(to.Type().Elem()).Elem()
			if err := m.walk(depth-1, b.Value, value, b.At); err != nil {
				return err
			}
			to.SetMapIndex(b.Key, value)
			return nil
		}
		return m.walk(depth-1, b.Value, to.Index(i), b.At)
	})
}

// Walk calls visit for the leaves of a tree in order, which are of the type leaf, until the first error. At names the
// tree, and leaves is as in Each.
func Walk(v reflect.Value, leaf reflect.Type, at, leaves string, visit func(at string, v reflect.Value) error) error {
	return walk(MaxDepth, v, leaf, at, leaves, visit)
}

func walk(
	depth int, v reflect.Value, leaf reflect.Type, at, leaves string, visit func(at string, v reflect.Value) error,
) error {
	switch {
	case v.Type() == leaf:
		return visit(at, v)
	case depth == 0:
		return ErrDepth
	}
	return Each(v, at, leaves, func(_ int, b Branch) error {
		return walk(depth-1, b.Value, leaf, b.At, leaves, visit)
	})
}

func hasBranches(k reflect.Kind) bool { return k == reflect.Struct || k == reflect.Map || IsList(k) }

// IsList reports whether a kind is of slices or arrays.
func IsList(k reflect.Kind) bool { return k == reflect.Slice || k == reflect.Array }

// Addressable returns a value that has an address.
func Addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	return out
}
