package raw

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/mlir"
)

// Table is the function table of c's library, with the dialect loaded: the library
// ends the process when a type or attribute of a dialect is made that is not. It
// returns an *mlir.UnsupportedError where the library lacks one of the functions.
func Load(c *mlir.Context, namespace string, functions ...string) (*capi.Table, error) {
	if err := Need(c.Library(), functions...); err != nil {
		return nil, err
	}
	if err := c.LoadDialect(namespace); err != nil {
		return nil, err
	}
	return Table(c), nil
}

// Types are the C handles of types, all of which must be of context c.
func Types(c *mlir.Context, method string, types []mlir.Type) []capi.MlirType {
	out := make([]capi.MlirType, len(types))
	for i, t := range types {
		out[i] = TypeIn(t, c, method)
	}
	return out
}

// WrapTypes are the types of C handles.
func WrapTypes(c *mlir.Context, n int, at func(int) capi.MlirType) []mlir.Type {
	out := make([]mlir.Type, n)
	for i := range out {
		out[i] = WrapType(c, at(i))
	}
	return out
}

// First is a pointer to the first element, nil for an empty slice.
func First[T any](s []T) *T {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}

// Parsed returns t when its own text makes the same type, and otherwise what the
// library says against that text. It is the check of types whose C functions take
// parameters unseen; making such a type does no harm as long as nobody uses it.
func Parsed(t mlir.Type) (mlir.Type, error) {
	c, _ := UnwrapType(t, "Type.String")
	text := t.String()
	again, err := c.ParseType(text)
	switch {
	case err != nil:
		return mlir.Type{}, err
	case !again.Equal(t):
		return mlir.Type{}, fmt.Errorf("mlir: the type %s is not what its text says: check its parameters", text)
	}
	return t, nil
}

// ParsedAttribute is Parsed for attributes.
func ParsedAttribute(a mlir.Attribute) (mlir.Attribute, error) {
	c, _ := UnwrapAttribute(a, "Attribute.String")
	text := a.String()
	again, err := c.ParseAttribute(text)
	switch {
	case err != nil:
		return mlir.Attribute{}, err
	case !again.Equal(a):
		return mlir.Attribute{}, fmt.Errorf("mlir: the attribute %s is not what its text says: check its parameters", text)
	}
	return a, nil
}

// Plain makes a type that has no parameters.
func Plain(c *mlir.Context, namespace, function string, get func(*capi.Table, capi.MlirContext) capi.MlirType) (mlir.Type, error) {
	t, err := Load(c, namespace, function)
	if err != nil {
		return mlir.Type{}, err
	}
	return WrapType(c, get(t, Context(c))), nil
}

// Map is the C handle of an affine map, null for the zero one.
func Map(c *mlir.Context, m mlir.AffineMap) capi.MlirAffineMap {
	if m.IsNil() {
		return capi.MlirAffineMap{}
	}
	return capi.MlirAffineMapAttrGetValue(Table(c), Attribute(c.AffineMapAttribute(m)))
}

// WrapMap is the affine map of a C handle.
func WrapMap(c *mlir.Context, h capi.MlirAffineMap) mlir.AffineMap {
	if h.Ptr == nil {
		return mlir.AffineMap{}
	}
	m, _ := WrapAttribute(c, capi.MlirAffineMapAttrGet(Table(c), h)).AffineMapValue()
	return m
}
