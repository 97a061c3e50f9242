package callbacks

import (
	"reflect"

	"github.com/calliope-mlir/calliope/internal/run/leaf"
	"github.com/calliope-mlir/calliope/internal/run/tree"
)

// A pytree is a leaf, or a struct, array, slice or map of pytrees. Leaves are taken in
// the contract's order, see package tree.

// node is what a type says of its trees.
type node struct {
	typ    reflect.Type
	leaf   leaf.Leaf // nil but in a leaf
	fields []*node   // of a struct
	elem   *node     // of an array, slice or map
	open   bool      // there is a slice or map, so that the type leaves the number of leaves open
}

// nodeOf reads a type.
func nodeOf(t reflect.Type) (*node, error) { return readType(t, t.String(), map[reflect.Type]*node{}) }

// readType keeps the types that it has seen, for a struct may hold a slice of itself.
func readType(t reflect.Type, at string, seen map[reflect.Type]*node) (_ *node, err error) {
	if n := seen[t]; n != nil {
		return n, nil
	}
	n := &node{typ: t, leaf: leaf.Of(t)}
	seen[t] = n
	if n.leaf != nil {
		return n, nil
	}
	if err := tree.Check(t, at, leaf.Types); err != nil {
		return nil, err
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			field := t.Field(i)
			child, err := readType(field.Type, at+"."+field.Name, seen)
			if err != nil {
				return nil, err
			}
			n.fields = append(n.fields, child)
			n.open = n.open || child.open
		}
		return n, nil
	case reflect.Map, reflect.Slice:
		n.open = true
	}
	if n.elem, err = readType(t.Elem(), at+"[]", seen); err == nil {
		n.open = n.open || n.elem.open
	}
	return n, err
}

// of is the node of the i-th branch.
func (n *node) of(i int) *node {
	if n.elem == nil {
		return n.fields[i]
	}
	return n.elem
}

// walk visits the leaves of a value with the ways to them. The value must be one that
// can be addressed.
func (n *node) walk(v reflect.Value, at string, visit func(at string, l leaf.Leaf, v reflect.Value)) error {
	return n.walkTo(tree.MaxDepth, v, at, visit)
}

func (n *node) walkTo(depth int, v reflect.Value, at string, visit func(string, leaf.Leaf, reflect.Value)) error {
	if n.leaf != nil {
		visit(at, n.leaf, v)
		return nil
	}
	if depth == 0 {
		return tree.ErrDepth
	}
	return tree.Each(v, at, leaf.Types, func(i int, b tree.Branch) error {
		return n.of(i).walkTo(depth-1, b.Value, b.At, visit)
	})
}

// nodeAt is the node of what a pointer points to, and the value there.
func nodeAt[T any](value *T) (*node, reflect.Value, error) {
	v := reflect.ValueOf(value).Elem()
	n, err := nodeOf(v.Type())
	return n, v, err
}
