// Package tree has the order of the leaves of a tree, which the contract states: fields of
// a struct as declared, elements by index, entries of a map by their keys. What builds a
// call and what serves it take trees apart here, and so agree.
package tree

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
)

// MaxDepth is deeper than any sound tree: a slice may hold itself.
const MaxDepth = 1000

// ErrDepth says that a tree is nested deeper than MaxDepth.
var ErrDepth = errors.New("the tree is nested more than 1000 deep: does a slice or map hold itself?")

// Branch is one branch of a struct, array, slice or map.
type Branch struct {
	At    string        // the way to it from the whole tree, such as .Field[2]["key"]
	Key   reflect.Value // of an entry of a map
	Value reflect.Value // can be addressed where the whole can, and in a map
}

// Check is an error where values of a type are no branching tree: a type of another kind, a
// struct with a field that is not exported, a map whose keys have no order. It does not
// look at the types of the branches. at names the value, and leaves what leaves may be.
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
			return fmt.Errorf("%s is a map with keys of type %s: use strings or integers, which have an order", at, t.Key())
		}
		return nil
	case reflect.Array, reflect.Slice:
		return nil
	}
	if at == t.String() { // the whole tree, which has no other name
		at = "this"
	}
	return fmt.Errorf("%s is a %s, which cannot be part of a tree: use %s, structs, slices, arrays and maps", at, t, leaves)
}

func checkField(t reflect.Type, f reflect.StructField) error {
	if !f.IsExported() {
		return fmt.Errorf("the field %s of %s is not exported", f.Name, t)
	}
	return nil
}

// Each visits the branches of a value in order, up to the first error. Where the value has
// none, the error is that of Check.
func Each(v reflect.Value, at, leaves string, visit func(i int, b Branch) error) error {
	t := v.Type()
	var room [64]byte
	way := func(step ...string) string {
		b := append(room[:0], at...)
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
			if err := visit(i, Branch{At: way(".", field.Name), Value: v.Field(i)}); err != nil {
				return err
			}
		}
		return nil
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			if err := visit(i, Branch{At: way("[", strconv.Itoa(i), "]"), Value: v.Index(i)}); err != nil {
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
		b.At = way("[", name, "]")
		if err := visit(i, b); err != nil {
			return err
		}
	}
	return nil
}

// entries are those of a map, by their keys.
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
