package callop

import (
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Signature returns the signature of a call with data of these types: see contract.Signature.
func Signature(operands, results []mlir.Type) (string, error) {
	in, err := Shapes(operands)
	if err != nil {
		return "", err
	}
	out, err := Shapes(results)
	if err != nil {
		return "", err
	}
	return contract.Signature(in, out), nil
}

// Shapes returns the shapes of array types. Another type is an error.
func Shapes(types []mlir.Type) ([]tensor.Shape, error) {
	shapes := make([]tensor.Shape, len(types))
	for i, t := range types {
		var err error
		if shapes[i], err = stablehlo.ShapeOf(t); err != nil {
			return nil, err
		}
	}
	return shapes, nil
}
