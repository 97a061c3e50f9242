package calliope

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/leaf"
	"github.com/calliope-mlir/calliope/internal/tree"
)

var (
	valueType = reflect.TypeFor[builder.Value]()
	errorType = reflect.TypeFor[error]()
)

// mirror walks two trees. It gives the second the lengths and keys of the first, and calls visit for each pair of
// leaves, in the contract's order.
func mirror(from, to reflect.Value, at string, visit func(at string, from, to reflect.Value) error) error {
	return mirrorTo(tree.MaxDepth, from, to, at, visit)
}

func mirrorTo(depth int, from, to reflect.Value, at string, visit func(at string, from, to reflect.Value) error) error {
	for from.Kind() == reflect.Interface && !from.IsNil() {
		from = addressable(from.Elem())
	}
	if from.Type() == valueType || to.Type() == valueType {
		return visit(at, from, to)
	}
	if depth == 0 {
		return tree.ErrDepth
	}
	if err := tree.Check(to.Type(), at, leafTypes); err != nil {
		return err
	}
	kinds := [2]reflect.Kind{from.Kind(), to.Kind()}
	switch {
	case kinds == [2]reflect.Kind{reflect.Struct, reflect.Struct}:
		if from.NumField() != to.NumField() {
			return mismatch(at, from, to)
		}
	case kinds == [2]reflect.Kind{reflect.Map, reflect.Map}:
		if from.Type().Key() != to.Type().Key() {
			return mismatch(at, from, to)
		}
		to.Set(reflect.MakeMapWithSize(to.Type(), from.Len()))
	case isList(from.Kind()) && to.Kind() == reflect.Slice:
		to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
	case isList(from.Kind()) && to.Kind() == reflect.Array:
		if from.Len() != to.Len() {
			return mismatch(at, from, to)
		}
	default:
		return mismatch(at, from, to)
	}
	return tree.Each(from, at, leafTypes, func(i int, b tree.Branch) error {
		switch to.Kind() {
		case reflect.Struct:
			if name := to.Type().Field(i).Name; from.Type().Field(i).Name != name {
				return fmt.Errorf("%s is given for the field %s of %s", b.At, name, to.Type())
			}
			return mirrorTo(depth-1, b.Value, to.Field(i), b.At, visit)
		case reflect.Map:
			value := reflect.New(to.Type().Elem()).Elem()
			if err := mirrorTo(depth-1, b.Value, value, b.At, visit); err != nil {
				return err
			}
			to.SetMapIndex(b.Key, value)
			return nil
		}
		return mirrorTo(depth-1, b.Value, to.Index(i), b.At, visit)
	})
}

func isList(k reflect.Kind) bool { return k == reflect.Slice || k == reflect.Array }

func mismatch(at string, from, to reflect.Value) error {
	return fmt.Errorf("%s has another structure:\n  given %s\n  takes %s", at, outline(from.Type(), 3),
		outline(to.Type(), 3))
}

// outline returns the structure of a type of trees, down to a depth.
func outline(t reflect.Type, depth int) string {
	switch kind := t.Kind(); {
	case t == valueType || t == bufferType || leaf.Of(t) != nil:
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

// checkValues returns an error for a type that is no tree of builder.Value. Which values an interface has is not known.
func checkValues(t reflect.Type, at string, depth int) error {
	if t == valueType || t.Kind() == reflect.Interface && t != errorType || depth == 0 {
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

// addressable returns a value that has an address.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	return out
}

// eachValue calls visit for the values in a tree, with their places, in the contract's order.
func eachValue[T any](x T, visit func(at string, v builder.Value)) error {
	var like T
	from, to := addressable(reflect.ValueOf(x)), reflect.ValueOf(&like).Elem()
	return mirror(from, to, "", func(at string, from, _ reflect.Value) error {
		visit(at, from.Interface().(builder.Value))
		return nil
	})
}
