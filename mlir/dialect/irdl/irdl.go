// Package irdl builds and reads the operations of MLIR's dialect irdl, which define dialects, and makes its
// attributes. Package mlir/dialect/define writes whole definitions. If the library lacks what a function needs, the
// error matches mlir.ErrUnsupported.
package irdl

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// Variadicity is the number of values that an operand or a result consists of.
type Variadicity string

const (
	Single   Variadicity = "single"   // exactly one
	Optional Variadicity = "optional" // zero or one
	Variadic Variadicity = "variadic" // any number
)

// Attribute returns #irdl<variadicity …>.
func (v Variadicity) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	t, err := raw.Load(c, "irdl", "mlirIRDLVariadicityAttrGet")
	if err != nil {
		return mlir.Attribute{}, err
	}
	switch v {
	case Single, Optional, Variadic: // the library aborts the process on others
		return raw.WrapAttribute(c, capi.MlirIRDLVariadicityAttrGet(t, raw.Context(c), string(v))), nil
	}
	return mlir.Attribute{}, fmt.Errorf("irdl: %q is not a variadicity: use the constants", string(v))
}

// ReadVariadicity returns a as a Variadicity. It returns an error if a is another
// attribute.
func ReadVariadicity(a mlir.Attribute) (Variadicity, error) {
	rest, ok := strings.CutPrefix(a.String(), "#irdl<variadicity ")
	v := Variadicity(strings.TrimSuffix(rest, ">"))
	if !ok {
		return "", fmt.Errorf("irdl: %s is not a variadicity", a)
	}
	return v, nil
}

// VariadicityArray returns #irdl<variadicity_array[…]>, with one value for each operand or
// result.
func VariadicityArray(c *mlir.Context, values ...Variadicity) (mlir.Attribute, error) {
	t, err := raw.Load(c, "irdl", "mlirIRDLVariadicityArrayAttrGet")
	if err != nil {
		return mlir.Attribute{}, err
	}
	list := make([]capi.MlirAttribute, len(values))
	for i, v := range values {
		a, err := v.Attribute(c)
		if err != nil {
			return mlir.Attribute{}, err
		}
		list[i] = raw.Attribute(a)
	}
	return raw.WrapAttribute(c, capi.MlirIRDLVariadicityArrayAttrGet(t, raw.Context(c), len(list), raw.First(list))),
		nil
}
