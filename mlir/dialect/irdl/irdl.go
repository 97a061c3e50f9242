// Package irdl is the attributes of MLIR's irdl dialect, in which dialects are defined.
// A library that lacks its C API refuses them with an error that matches
// mlir.ErrUnsupported.
package irdl

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/internal/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// Variadicity says how many values an operand or a result stands for.
type Variadicity string

const (
	Single   Variadicity = "single"   // exactly one
	Optional Variadicity = "optional" // none or one
	Variadic Variadicity = "variadic" // any number
)

// Attribute is #irdl<variadicity …>.
func (v Variadicity) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	t, err := raw.Load(c, "irdl", "mlirIRDLVariadicityAttrGet")
	if err != nil {
		return mlir.Attribute{}, err
	}
	switch v {
	case Single, Optional, Variadic: // the library ends the process on another one
		return raw.WrapAttribute(c, capi.MlirIRDLVariadicityAttrGet(t, raw.Context(c), string(v))), nil
	}
	return mlir.Attribute{}, fmt.Errorf("irdl: there is no variadicity %q: use the constants", string(v))
}

// ReadVariadicity reads a variadicity.
func ReadVariadicity(a mlir.Attribute) (Variadicity, error) {
	rest, ok := strings.CutPrefix(a.String(), "#irdl<variadicity ")
	v := Variadicity(strings.TrimSuffix(rest, ">"))
	if !ok {
		return "", fmt.Errorf("irdl: %s is no variadicity", a)
	}
	return v, nil
}

// VariadicityArray is #irdl<variadicity_array[…]>, one for each operand or result.
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
	return raw.WrapAttribute(c, capi.MlirIRDLVariadicityArrayAttrGet(t, raw.Context(c), len(list), raw.First(list))), nil
}
