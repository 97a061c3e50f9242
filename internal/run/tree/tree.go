// Package tree has the order of the leaves of a tree, which the contract defines: the fields of
// a struct as declared, elements by index, the entries of a map by key. The code that builds a
// call and the code that serves it use this package, so that they agree.
package tree

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
)

// MaxDepth is the largest depth of a tree. A slice that contains itself has none.
const MaxDepth = 1000

// ErrDepth is the error for a tree that is nested deeper than MaxDepth.
var ErrDepth = errors.New("the tree is nested more than 1000 deep: does a slice or map hold itself?")

// A Branch is one branch of a struct, array, slice or map.
type Branch struct {
	At    string        // its path in the whole tree, such as .Field[2]["key"]
	Key   reflect.Value // of an entry of a map
	Value reflect.Value // addressable if the whole is, or if it is in a map
}

// Check returns an error if values of a type have no branches: a type of another kind, a struct
// with a field that is not exported, or a map whose keys have no order. It does not check the
// types of the branches. For the error, at names the value, and leaves the types of leaves.
func Check(t reflect.Type, at, leaves string) error {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if err := checkField(t, t.Field(i)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Map:
		if k := t.Key().Kind(); k != reflect.String && (k < reflect.Int || k > reflect.Uint64) {
			return fmt.Errorf("%s is a map with keys of type %s: use strings or integers, which have an order", at,
				t.Key())
		}
		return nil
	case reflect.Array, reflect.Slice:
		return nil
	}
	if t.Kind() == reflect.Interface {
		return fmt.Errorf("%s is an interface, %s, which hides its tree: use %s, structs, slices, arrays and maps", at, t,
			leaves)
	}
	if at == t.String() { // the whole tree, which has no other name
		at = "this"
	}
	return fmt.Errorf("%s is a %s, which cannot be part of a tree: use %s, structs, slices, arrays and maps", at, t,
		leaves)
}

func checkField(t reflect.Type, f reflect.StructField) error {
	if !f.IsExported() {
		return fmt.Errorf("the field %s of %s is not exported", f.Name, t)
	}
	return nil
}

// Each calls visit for the branches of a value in order, until the first error. If the value
// cannot have branches, Each returns the error of Check.
func Each(v reflect.Value, at, leaves string, visit func(i int, b Branch) error) error {
	t := v.Type()
	var buffer [64]byte
	path := func(step ...string) string {
		b := append(buffer[:0], at...)
		for _, s := range step {
			b = append(b, s...)
		}
		return string(b)
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			field := t.Field(i)
			if err := checkField(t, field); err != nil {
				return err
			}
			if err := visit(i, Branch{At: path(".", field.Name), Value: v.Field(i)}); err != nil {
				return err
			}
		}
		return nil
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			if err := visit(i, Branch{At: path("[", strconv.Itoa(i), "]"), Value: v.Index(i)}); err != nil {
				return err
			}
		}
		return nil
	}
	if err := Check(t, at, leaves); err != nil {
		return err
	}
	for i, b := range entries(v) {
		name := ""
		switch {
		case b.Key.Kind() == reflect.String:
			name = strconv.Quote(b.Key.String())
		case b.Key.CanInt():
			name = strconv.FormatInt(b.Key.Int(), 10)
		default:
			name = strconv.FormatUint(b.Key.Uint(), 10)
		}
		b.At = path("[", name, "]")
		if err := visit(i, b); err != nil {
			return err
		}
	}
	return nil
}

// entries returns the entries of a map, sorted by key.
func entries(m reflect.Value) []Branch {
	list := make([]Branch, 0, m.Len())
	for at := m.MapRange(); at.Next(); {
		value := reflect.New(m.Type().Elem()).Elem()
		value.SetIterValue(at)
		list = append(list, Branch{Key: at.Key(), Value: value})
	}
	slices.SortFunc(list, func(a, b Branch) int {
		switch a, b := a.Key, b.Key; {
		case a.Kind() == reflect.String:
			return cmp.Compare(a.String(), b.String())
		case a.CanInt():
			return cmp.Compare(a.Int(), b.Int())
		default:
			return cmp.Compare(a.Uint(), b.Uint())
		}
	})
	return list
}
