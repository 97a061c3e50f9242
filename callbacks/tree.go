package callbacks

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
)

// A tree is a leaf, or a struct, array, slice or map of trees. Leaves are in the order of
// the contract, which builder also uses: struct fields as declared, elements by index, map
// keys sorted.

// node describes the trees of a type.
type node struct {
	typ    reflect.Type
	leaf   leaf    // nil except for a leaf
	fields []*node // of a struct
	elem   *node   // of an array, slice or map
	open   bool    // has a slice or map, so the type does not determine the number of leaves
}

// nodeOf reads a type.
func nodeOf(t reflect.Type) (*node, error) { return readType(t, t.String(), map[reflect.Type]*node{}) }

// readType keeps the types that it has seen, because a struct may hold a slice of itself.
func readType(t reflect.Type, at string, seen map[reflect.Type]*node) (_ *node, err error) {
	if n := seen[t]; n != nil {
		return n, nil
	}
	n := &node{typ: t, leaf: leafOf(t)}
	seen[t] = n
	if n.leaf != nil {
		return n, nil
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			field := t.Field(i)
			if !field.IsExported() {
				return nil, fmt.Errorf("the field %s of %s is not exported", field.Name, t)
			}
			child, err := readType(field.Type, at+"."+field.Name, seen)
			if err != nil {
				return nil, err
			}
			n.fields = append(n.fields, child)
			n.open = n.open || child.open
		}
		return n, nil
	case reflect.Map:
		if k := t.Key().Kind(); k != reflect.String && (k < reflect.Int || k > reflect.Uint64) {
			return nil, fmt.Errorf("%s is a map with keys of type %s: use strings or integers, which have an order", at, t.Key())
		}
		n.open = true
	case reflect.Slice:
		n.open = true
	case reflect.Array:
	default:
		if at == t.String() { // the whole tree
			at = "this"
		}
		return nil, fmt.Errorf("%s is a %s, which cannot be part of a tree: use tensor.View, tensor.Array, numbers, structs, slices, arrays and maps", at, t)
	}
	if n.elem, err = readType(t.Elem(), at+"[]", seen); err == nil {
		n.open = n.open || n.elem.open
	}
	return n, err
}

// child is one branch of a tree. Its value is addressable.
type child struct {
	step  string // the path element: .Field, [2], ["key"]
	node  *node
	value reflect.Value
	key   reflect.Value // of a map
}

// maxDepth is more than any valid tree needs. A slice may hold itself.
const maxDepth = 1000

var errDepth = errors.New("the tree is nested more than 1000 deep: does a slice or map hold itself?")

// children returns the branches of a value, in order.
func (n *node) children(v reflect.Value) []child {
	var out []child
	switch n.typ.Kind() {
	case reflect.Struct:
		for i, field := range n.fields {
			out = append(out, child{step: "." + n.typ.Field(i).Name, node: field, value: v.Field(i)})
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			out = append(out, child{step: "[" + strconv.Itoa(i) + "]", node: n.elem, value: v.Index(i)})
		}
	case reflect.Map:
		for _, key := range sortedKeys(v) {
			value := reflect.New(n.elem.typ).Elem()
			value.Set(v.MapIndex(key))
			step := fmt.Sprintf("[%v]", key)
			if key.Kind() == reflect.String {
				step = "[" + strconv.Quote(key.String()) + "]"
			}
			out = append(out, child{step: step, node: n.elem, value: value, key: key})
		}
	}
	return out
}

func sortedKeys(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		switch {
		case a.Kind() == reflect.String:
			return cmp.Compare(a.String(), b.String())
		case a.CanInt():
			return cmp.Compare(a.Int(), b.Int())
		}
		return cmp.Compare(a.Uint(), b.Uint())
	})
	return keys
}

// walk visits the leaves of a value with their paths. The value must be addressable.
func (n *node) walk(v reflect.Value, at string, visit func(at string, l leaf, v reflect.Value)) error {
	return n.walkTo(maxDepth, v, at, visit)
}

func (n *node) walkTo(depth int, v reflect.Value, at string, visit func(string, leaf, reflect.Value)) error {
	if n.leaf != nil {
		visit(at, n.leaf, v)
		return nil
	}
	if depth == 0 {
		return errDepth
	}
	for _, c := range n.children(v) {
		if err := c.node.walkTo(depth-1, c.value, at+c.step, visit); err != nil {
			return err
		}
	}
	return nil
}

// nodeAt returns the node of what tree points to, and the value there.
func nodeAt[T any](tree *T) (*node, reflect.Value, error) {
	v := reflect.ValueOf(tree).Elem()
	n, err := nodeOf(v.Type())
	return n, v, err
}
