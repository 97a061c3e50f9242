package callop

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// MainShapes returns the shapes of the parameters and results of the function @main, which must be arrays of known
// size, without the tokens of JAX's ordered callbacks, which are before them.
func MainShapes(m *mlir.Module) (parameters, results []tensor.Shape, err error) {
	f, ok := m.SymbolTable().Lookup("main")
	if !ok || f.Name() != "func.func" {
		return nil, nil, errors.New("it has no function @main, the one to run")
	}
	a, _ := f.Attribute("function_type")
	t, _ := a.TypeValue()
	in, out, _ := t.Signature()
	if parameters, err = arrays("parameter", in[Tokens(in):]); err == nil {
		results, err = arrays("result", out[Tokens(out):])
	}
	return parameters, results, err
}

func arrays(what string, types []mlir.Type) ([]tensor.Shape, error) {
	list := make([]tensor.Shape, len(types))
	for i, t := range types {
		s, err := stablehlo.ShapeOf(t)
		if err == nil {
			err = s.Check()
		}
		if err != nil {
			return nil, fmt.Errorf("%s %d of @main is %s: it must be an array of known size", what, i, t)
		}
		list[i] = s
	}
	return list, nil
}
