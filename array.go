package calliope

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/leaf"
	"github.com/calliope-mlir/calliope/internal/run/tree"
	"github.com/calliope-mlir/calliope/tensor"
)

// An Array is an array on a device. The caller of a function must close the Arrays that it returns.
type Array = *engine.Array

const leafTypes = "calliope.Array, " + leaf.Types

var (
	bufferType = reflect.TypeFor[*engine.Array]()
	shapeType  = reflect.TypeFor[tensor.Shape]()
)

// An argument is one array of a call.
type argument struct {
	shape tensor.Shape
	input engine.Input // nil for a tensor.Shape, which can be traced but not run
	of    int          // the argument of the call that it is a leaf of
	index int          // among the arrays of the call
}

// place names an array of the call with these trees, such as argument 1.W[0].
func (a argument) place(args []any) string { return placesOf(args)[a.index] }

// placesOf names the arrays of a call, which were read before.
func placesOf(args []any) (list []string) {
	all := arguments{places: &list}
	for i, arg := range args {
		_ = all.readTree(i, arg)
	}
	return list
}

// readArgument reads an array. It returns false if v is not an array.
func readArgument(v reflect.Value) (argument, bool, error) {
	switch v.Type() {
	case bufferType:
		b := v.Interface().(*engine.Array)
		if b == nil {
			return argument{}, true, errors.New("is nil")
		}
		return argument{shape: b.Shape(), input: b}, true, nil
	case shapeType:
		return argument{shape: v.Interface().(tensor.Shape)}, true, nil
	}
	l := leaf.Of(v.Type())
	if l == nil {
		return argument{}, false, nil
	}
	view, err := l.View(tree.Addressable(v))
	return argument{shape: view.Shape, input: view}, true, err
}

// arguments are the arrays of a call in the contract's order.
type arguments struct {
	list      []argument
	structure structure
	places    *[]string // if not nil, read appends what names each array
}

// A structure is that of the trees of a call.
type structure struct {
	types []reflect.Type // of structs, arrays, slices and maps, in the order of the trees
	sizes []byte         // the lengths and keys of slices and maps
}

func (s structure) equal(t structure) bool {
	return slices.Equal(s.types, t.types) && bytes.Equal(s.sizes, t.sizes)
}

// readArguments reads the trees of a call.
func readArguments(args []any) (a arguments, err error) {
	a.list = make([]argument, 0, len(args))
	for i, arg := range args {
		if arg == nil {
			return a, fmt.Errorf("calliope: argument %d is nil", i)
		}
		n := len(a.list)
		if err := a.readTree(i, arg); err != nil {
			return a, fmt.Errorf("calliope: %w", err)
		}
		for ; n < len(a.list); n++ {
			a.list[n].of, a.list[n].index = i, n
		}
	}
	return a, nil
}

// readTree appends the arrays of an argument.
func (a *arguments) readTree(i int, arg any) error {
	return a.read(tree.MaxDepth, reflect.ValueOf(arg), func() string { return fmt.Sprint("argument ", i) })
}

// withoutInputs returns arguments that do not keep arrays.
func (a arguments) withoutInputs() arguments {
	a.list = slices.Clone(a.list)
	for i := range a.list {
		a.list[i].input = nil
	}
	return a
}

// read appends the arrays of a tree. at names it in errors.
func (a *arguments) read(depth int, v reflect.Value, at func() string) error {
	one, ok, err := readArgument(v)
	if err != nil {
		return fmt.Errorf("%s: %w", at(), err)
	}
	if ok {
		a.list = append(a.list, one)
		if a.places != nil {
			*a.places = append(*a.places, at())
		}
		return nil
	}
	if depth == 0 {
		return tree.ErrDepth
	}
	switch v.Kind() {
	case reflect.Struct, reflect.Array, reflect.Slice, reflect.Map:
		if v.Type() == valueType {
			return fmt.Errorf("%s is a builder.Value: call the Go function itself while a module is built", at())
		}
	default:
		return tree.Check(v.Type(), at(), leafTypes)
	}
	a.structure.types = append(a.structure.types, v.Type())
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Map {
		a.structure.sizes = strconv.AppendInt(a.structure.sizes, int64(v.Len()), 10)
		a.structure.sizes = append(a.structure.sizes, ',')
	}
	return tree.Each(v, "", leafTypes, func(_ int, b tree.Branch) error {
		if b.Key.IsValid() {
			a.structure.sizes = strconv.AppendQuote(a.structure.sizes, b.At)
		}
		return a.read(depth-1, b.Value, func() string { return at() + b.At })
	})
}

func (a arguments) equal(b arguments) bool {
	return a.structure.equal(b.structure) &&
		slices.EqualFunc(a.list, b.list, func(x, y argument) bool { return x.shape.Equal(y.shape) })
}
