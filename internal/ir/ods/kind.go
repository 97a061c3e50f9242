package ods

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
)

// A Kind converts between a Go type and an attribute.
type Kind[T any] struct {
	Write func(*mlir.Context, T) (mlir.Attribute, error)
	Read  func(mlir.Attribute) (T, bool)
}

// Set adds a required attribute.
func Set[T any](w *Writer, name string, v T, k Kind[T]) {
	if w.err != nil || w.b.Err() != nil || w.age != anyAge && w.lacks(name, !reflect.ValueOf(&v).Elem().IsZero()) {
		return
	}
	a, err := k.Write(w.b.Context(), v)
	if err != nil {
		w.fail("%s: %w", name, err)
		return
	}
	w.add(name, a)
}

// SetValue adds an attribute, if v is not the zero value.
func SetValue[T comparable](w *Writer, name string, v T, k Kind[T]) {
	if w.given(name, v != *new(T)) {
		Set(w, name, v, k)
	}
}

// SetPointer adds an attribute, if v is not nil.
func SetPointer[T any](w *Writer, name string, v *T, k Kind[T]) {
	if w.given(name, v != nil) {
		Set(w, name, *v, k)
	}
}

// SetList adds an attribute, if v is not nil.
func SetList[T any](w *Writer, name string, v []T, k Kind[[]T]) {
	if w.given(name, v != nil) {
		Set(w, name, v, k)
	}
}

// Get reads a required attribute.
func Get[T any](r *Reader, name string, k Kind[T]) (v T) {
	a, ok := r.op.Attribute(name)
	if r.ok = r.ok && ok; ok {
		v, ok = k.Read(a)
		r.ok = r.ok && ok
	}
	return v
}

// GetValue reads an attribute. It returns the zero value if the operation does not have it.
func GetValue[T any](r *Reader, name string, k Kind[T]) (v T) {
	if _, ok := r.op.Attribute(name); ok {
		v = Get(r, name, k)
	}
	return v
}

// GetPointer reads an attribute. It returns nil if the operation does not have it.
func GetPointer[T any](r *Reader, name string, k Kind[T]) *T {
	if _, ok := r.op.Attribute(name); !ok {
		return nil
	}
	v := Get(r, name, k)
	return &v
}

var errMissing = errors.New("the attribute is missing")

// present returns a Write that requires its value not to be nil.
func present[T interface{ IsNil() bool }](
	write func(*mlir.Context, T) mlir.Attribute,
) func(*mlir.Context, T) (mlir.Attribute, error) {
	return func(c *mlir.Context, v T) (mlir.Attribute, error) {
		if v.IsNil() {
			return mlir.Attribute{}, errMissing
		}
		return write(c, v), nil
	}
}

// always returns a Write that cannot fail.
func always[T any](write func(*mlir.Context, T) mlir.Attribute) func(*mlir.Context, T) (mlir.Attribute, error) {
	return func(c *mlir.Context, v T) (mlir.Attribute, error) { return write(c, v), nil }
}

// The kinds of attributes.
var (
	Attribute = Kind[mlir.Attribute]{
		present(func(_ *mlir.Context, a mlir.Attribute) mlir.Attribute { return a }),
		func(a mlir.Attribute) (mlir.Attribute, bool) { return a, true },
	}
	Unit = Kind[bool]{
		always(func(c *mlir.Context, _ bool) mlir.Attribute { return c.UnitAttribute() }),
		func(mlir.Attribute) (bool, bool) { return true, true },
	}
	Bool   = Kind[bool]{always((*mlir.Context).BoolAttribute), mlir.Attribute.Bool}
	Text   = Kind[string]{always((*mlir.Context).StringAttribute), mlir.Attribute.Text}
	Symbol = Kind[string]{func(c *mlir.Context, name string) (mlir.Attribute, error) {
		if name == "" {
			return mlir.Attribute{}, errMissing
		}
		return c.SymbolAttribute(name), nil
	}, mlir.Attribute.Symbol}
	// Path is the name of a symbol after the names of the symbols that it is in.
	Path = Kind[[]string]{func(c *mlir.Context, path []string) (mlir.Attribute, error) {
		if len(path) == 0 || slices.Contains(path, "") {
			return mlir.Attribute{}, errMissing
		}
		return c.NestedSymbolAttribute(path[0], path[1:]...), nil
	}, mlir.Attribute.SymbolPath}
	Type = Kind[mlir.Type]{present((*mlir.Context).TypeAttribute), mlir.Attribute.TypeValue}
	Map  = Kind[affine.Map]{
		present(func(_ *mlir.Context, m affine.Map) mlir.Attribute { return m.Attribute() }), affine.MapOf,
	}
	Integers = Kind[affine.Set]{
		present(func(_ *mlir.Context, s affine.Set) mlir.Attribute { return s.Attribute() }), affine.SetOf,
	}

	Int64s   = dense[int64]()
	Int32s   = dense[int32]()
	Int16s   = dense[int16]()
	Int8s    = dense[int8]()
	Bools    = dense[bool]()
	Float32s = dense[float32]()
	Float64s = dense[float64]()
)

// Elements is the kind of a list that is a tensor of one dimension, such as the strides of a
// convolution.
var Elements = Kind[[]int64]{func(c *mlir.Context, v []int64) (mlir.Attribute, error) {
	t, err := c.TensorType(c.IntegerType(64, mlir.Signless), int64(len(v)))
	if err != nil {
		return mlir.Attribute{}, err
	}
	return mlir.NewDense(t, v)
}, func(a mlir.Attribute) ([]int64, bool) {
	if a.IsNil() {
		return nil, false
	}
	d, err := mlir.DenseOf[int64](a)
	if err != nil {
		return nil, false
	}
	v, err := d.Values()
	return v, err == nil
}}

func dense[T mlir.DenseArrayElement]() Kind[[]T] {
	return Kind[[]T]{func(c *mlir.Context, v []T) (mlir.Attribute, error) { return mlir.NewDenseArray(c, v...), nil },
		readIntegers[T]}
}

// readIntegers reads a dense array.
func readIntegers[T mlir.DenseArrayElement](a mlir.Attribute) ([]T, bool) {
	if a.IsNil() {
		return nil, false
	}
	return mlir.DenseArrayOf[T](a)
}

// Array returns the kind of an array.
func Array[T any](k Kind[T]) Kind[[]T] {
	return Kind[[]T]{func(c *mlir.Context, list []T) (mlir.Attribute, error) {
		elements := make([]mlir.Attribute, len(list))
		for i, v := range list {
			a, err := k.Write(c, v)
			if err != nil {
				return a, fmt.Errorf("element %d: %w", i, err)
			}
			elements[i] = a
		}
		return c.ArrayAttribute(elements...), nil
	}, func(a mlir.Attribute) ([]T, bool) {
		elements, ok := a.Elements()
		list := make([]T, len(elements))
		for i, e := range elements {
			v, is := k.Read(e)
			list[i], ok = v, ok && is
		}
		return list, ok
	}}
}

// The kinds of arrays.
var (
	Attributes  = Array(Attribute)
	BoolArray   = Array(Bool)
	TextArray   = Array(Text)
	SymbolArray = Array(Symbol)
	PathArray   = Array(Path)
	TypeArray   = Array(Type)
	MapArray    = Array(Map)
	I32Array    = Array(I32)
	I64Array    = Array(I64)
	IndexArray  = Array(Index)
)
