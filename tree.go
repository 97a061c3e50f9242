package calliope

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/run/leaf"
	"github.com/calliope-mlir/calliope/internal/run/tree"
)

var valueType = reflect.TypeFor[builder.Value]()

// mirror walks two trees. It gives the second the lengths and keys of the first, and calls visit for each pair of
// leaves, in the contract's order.
func mirror(from, to reflect.Value, at string, visit func(at string, from, to reflect.Value) error) error {
	return tree.Mirror{Leaf: valueType, Leaves: leafTypes, Visit: visit, Mismatch: mismatch}.Walk(from, to, at)
}

func mismatch(at string, from, to reflect.Value) error {
	if err := checkBranches(from.Type(), at, "builder.Value"); err != nil {
		return err
	}
	if err := checkBranches(to.Type(), at, leafTypes); err != nil {
		return err
	}
	return fmt.Errorf("%s has another structure:\n  given %s\n  takes %s", at, outline(from.Type(), 3),
		outline(to.Type(), 3))
}

// checkBranches returns an error for a type that is neither an array nor a tree.
func checkBranches(t reflect.Type, at, leaves string) error {
	if isArray(t) {
		return nil
	}
	return tree.Check(t, at, leaves)
}

func isArray(t reflect.Type) bool { return t == valueType || t == bufferType || leaf.Of(t) != nil }

// outline returns the structure of a type of trees, down to a depth.
func outline(t reflect.Type, depth int) string {
	switch kind := t.Kind(); {
	case isArray(t):
		return "an array"
	case depth == 0:
		return "…"
	case kind == reflect.Struct:
		var fields []string
		for f := range t.Fields() {
			fields = append(fields, f.Name+": "+outline(f.Type, depth-1))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case kind == reflect.Map:
		return fmt.Sprintf("a map from %s to %s", t.Key(), outline(t.Elem(), depth-1))
	case kind == reflect.Slice:
		return "a slice of " + outline(t.Elem(), depth-1)
	case kind == reflect.Array:
		return fmt.Sprintf("%d of %s", t.Len(), outline(t.Elem(), depth-1))
	}
	return "a " + t.String()
}

// checkValues returns an error for a type that is no tree of builder.Value.
func checkValues(t reflect.Type, at string, depth int) error {
	if t == valueType || depth == 0 {
		return nil
	}
	if err := tree.Check(t, at, "builder.Value"); err != nil {
		return err
	}
	if t.Kind() != reflect.Struct {
		return checkValues(t.Elem(), at+"[]", depth-1)
	}
	for f := range t.Fields() {
		if err := checkValues(f.Type, at+"."+f.Name, depth-1); err != nil {
			return err
		}
	}
	return nil
}

// eachValue calls visit for the values in a tree, with their places, in the contract's order. At names the tree.
func eachValue[T any](x T, at string, visit func(at string, v builder.Value)) error {
	var like T
	from, to := reflect.ValueOf(&x).Elem(), reflect.ValueOf(&like).Elem()
	return mirror(from, to, at, func(at string, from, _ reflect.Value) error {
		visit(at, from.Interface().(builder.Value))
		return nil
	})
}
