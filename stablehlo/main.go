package stablehlo

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Main is what the function @main of a module takes and returns, without tokens. A dimension of -1 is one that each
// call determines.
type Main struct {
	Params, Results []tensor.Shape
	Tokens          int // that it takes before its parameters, as JAX lowers it
	Returned        int // the tokens that it returns before its results
}

// MainOf reads the type of @main. Its parameters and results must be arrays.
func MainOf(m *mlir.Module) (main Main, err error) {
	f, ok := m.SymbolTable().Lookup("main")
	if !ok || f.Name() != "func.func" {
		return main, errors.New("it has no function @main, the one to run")
	}
	a, _ := f.Attribute("function_type")
	t, _ := a.TypeValue()
	in, out, ok := t.Signature()
	if !ok {
		return main, errors.New("@main is a function without a type")
	}
	main.Tokens, main.Returned = Tokens(in), Tokens(out)
	if main.Params, err = arrays("parameter", in, main.Tokens); err == nil {
		main.Results, err = arrays("result", out, main.Returned)
	}
	return main, err
}

// Tokens returns the number of tokens at the beginning of types. JAX orders its calls by them, and their functions do
// not get them.
func Tokens(types []mlir.Type) (n int) {
	for n < len(types) && IsToken(types[n]) {
		n++
	}
	return n
}

// arrays returns the shapes of types behind the first ones.
func arrays(what string, types []mlir.Type, first int) ([]tensor.Shape, error) {
	list := make([]tensor.Shape, len(types)-first)
	for i, t := range types[first:] {
		s, err := ShapeOf(t)
		if err == nil && !s.IsOpen() {
			err = s.Check()
		}
		switch {
		case strings.Contains(t.String(), "!quant."):
			return nil, fmt.Errorf("%s %d of @main is %s: lower the quantized types first: calliope-opt "+
				"--stablehlo-legalize-quant-to-math --chlo-legalize-to-stablehlo makes integers of them", what, first+i, t)
		case err != nil || s.DType == tensor.Token:
			return nil, fmt.Errorf("%s %d of @main is %s: its parameters and results must be arrays of known size",
				what, first+i, t)
		}
		list[i] = s
	}
	return list, nil
}

// IsOpen reports whether a parameter or a result has a dimension that is not known.
func (m Main) IsOpen() bool {
	return slices.ContainsFunc(slices.Concat(m.Params, m.Results), tensor.Shape.IsOpen)
}

// CheckStatic returns an error if the function has a dimension that is not known.
func (m Main) CheckStatic() error {
	for i, s := range slices.Concat(m.Params, m.Results) {
		what, at := "parameter", m.Tokens+i
		if i >= len(m.Params) {
			what, at = "result", m.Returned+i-len(m.Params)
		}
		if s.IsOpen() {
			return fmt.Errorf("%s %d of @main is %s: it must be an array of known size", what, at, s)
		}
	}
	return nil
}
