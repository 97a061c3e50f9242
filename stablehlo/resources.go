package stablehlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// InlineResources gives constants their elements, in place of those that are in resources: a portable artifact has no
// resources, and the interpreter does not read them. It returns the number of constants that it changed. The index
// lists the operations of a module.
func InlineResources(index *mlir.Index) (n int, err error) {
	for op := range index.Named("stablehlo.constant") {
		if !inResource(op) {
			continue
		}
		if err := InlineResource(op); err != nil {
			return n, fmt.Errorf("stablehlo: %s: %w", op.Location().Position(), err)
		}
		n++
	}
	return n, nil
}

// inResource reports whether the elements of a constant are in a resource.
func inResource(op mlir.Operation) bool {
	if op.Name() != "stablehlo.constant" {
		return false
	}
	value, _ := op.Attribute("value")
	return value.Kind() == mlir.AttrResource
}

// InlineResource gives a constant its elements, which are in a resource.
func InlineResource(op mlir.Operation) error {
	value, _ := op.Attribute("value")
	t, _ := value.Type()
	data, err := value.ResourceBytes()
	if err == nil {
		value, err = op.Context().DenseAttribute(t, data)
	}
	if err == nil {
		op.SetAttribute("value", value)
	}
	return err
}
