package ods

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// SetProperty adds a property that is not an attribute, if v is not the zero value.
func SetProperty[T comparable](w *Writer, name string, v T, k Kind[T]) {
	if w.err != nil || w.b.Err() != nil || v == *new(T) {
		return
	}
	a, err := k.Write(w.b.Context(), v)
	if err != nil {
		w.fail("%s: %w", name, err)
		return
	}
	w.state.Properties = append(w.state.Properties, mlir.NamedAttribute{Name: name, Value: a})
}

// GetProperty reads a property that is not an attribute. It returns the zero value if the
// library's operation does not have it.
func GetProperty[T any](r *Reader, name string, k Kind[T]) (v T) {
	if r.properties == nil {
		list, err := r.op.Properties()
		r.properties, r.ok = append([]mlir.NamedAttribute{}, list...), r.ok && err == nil
	}
	i := slices.IndexFunc(r.properties, func(p mlir.NamedAttribute) bool { return p.Name == name })
	if i >= 0 {
		var ok bool
		v, ok = k.Read(r.properties[i].Value)
		r.ok = r.ok && ok
	}
	return v
}

// EnumProperty returns the kind of a property that is an enumeration. Newer libraries print
// it as an integer.
func EnumProperty[T interface {
	~int | ~uint64
	Attribute(*mlir.Context) (mlir.Attribute, error)
}](e *Enum) Kind[T] {
	return Kind[T]{func(c *mlir.Context, v T) (mlir.Attribute, error) { return v.Attribute(c) },
		func(a mlir.Attribute) (T, bool) {
			if v, ok := e.readInteger(a); ok {
				return T(v), true
			}
			v, ok := e.Read(a)
			return T(v), ok
		}}
}

// The other kinds of properties.
var (
	// Flag prints as a unit or as false.
	Flag = Kind[bool]{Unit.Write, func(a mlir.Attribute) (bool, bool) {
		if v, ok := a.Bool(); ok {
			return v, true
		}
		return true, a.Kind() == mlir.AttrUnit
	}}
	// Number is an array of one integer, or of none.
	Number = Kind[int64]{func(c *mlir.Context, v int64) (mlir.Attribute, error) {
		return I64Array.Write(c, []int64{v})
	}, func(a mlir.Attribute) (v int64, ok bool) {
		list, ok := I64Array.Read(a)
		if len(list) > 0 {
			v = list[0]
		}
		return v, ok && len(list) < 2
	}}
)
