package raw

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/mlir"
)

// Load loads a dialect and returns the function table of c's library. The library aborts
// the process if it makes a type or attribute of a dialect that is not loaded. Load returns
// an *mlir.UnsupportedError if the library lacks one of the functions.
func Load(c *mlir.Context, namespace string, functions ...string) (*capi.Table, error) {
	if err := Need(c.Library(), functions...); err != nil {
		return nil, err
	}
	if err := c.LoadDialect(namespace); err != nil {
		return nil, err
	}
	return Table(c), nil
}

// Types returns the C handles of types, which must belong to context c.
func Types(c *mlir.Context, method string, types []mlir.Type) []capi.MlirType {
	out := make([]capi.MlirType, len(types))
	for i, t := range types {
		out[i] = TypeIn(t, c, method)
	}
	return out
}

// WrapTypes returns the types of n C handles.
func WrapTypes(c *mlir.Context, n int, at func(int) capi.MlirType) []mlir.Type {
	out := make([]mlir.Type, n)
	for i := range out {
		out[i] = WrapType(c, at(i))
	}
	return out
}

// First returns a pointer to the first element, or nil if the slice is empty.
func First[T any](s []T) *T {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}

// Parsed returns t if its text parses to the same type, and an error otherwise. It checks
// types whose C functions do not check their parameters. An invalid type is harmless as
// long as it is not used.
func Parsed(t mlir.Type) (mlir.Type, error) {
	c, _ := UnwrapType(t, "Type.String")
	text := t.String()
	again, err := c.ParseType(text)
	switch {
	case err != nil:
		return mlir.Type{}, err
	case !again.Equal(t):
		return mlir.Type{}, fmt.Errorf("mlir: the type %s does not parse to itself: check its parameters", text)
	}
	return t, nil
}

// ParsedAttribute is like Parsed, for attributes.
func ParsedAttribute(a mlir.Attribute) (mlir.Attribute, error) {
	c, _ := UnwrapAttribute(a, "Attribute.String")
	text := a.String()
	again, err := c.ParseAttribute(text)
	switch {
	case err != nil:
		return mlir.Attribute{}, err
	case !again.Equal(a):
		return mlir.Attribute{},
			fmt.Errorf("mlir: the attribute %s does not parse to itself: check its parameters", text)
	}
	return a, nil
}

// Plain returns a type without parameters.
func Plain(
	c *mlir.Context, namespace, function string, get func(*capi.Table, capi.MlirContext) capi.MlirType,
) (mlir.Type, error) {
	t, err := Load(c, namespace, function)
	if err != nil {
		return mlir.Type{}, err
	}
	return WrapType(c, get(t, Context(c))), nil
}

// Map returns the C handle of the map in an affine map attribute, which must belong to context c.
func Map(a mlir.Attribute, c *mlir.Context, method string) capi.MlirAffineMap {
	return capi.MlirAffineMapAttrGetValue(Table(c), AttributeIn(a, c, method))
}
