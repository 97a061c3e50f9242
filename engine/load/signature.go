package load

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Signature is what main takes and returns, without tokens. A dimension of -1 is one that each call determines.
type Signature struct {
	Params, Results []tensor.Shape
	Tokens          int // that main takes before its parameters, and returns, as JAX lowers it
}

// SignatureOf returns the signature of main. Its parameters and results must be arrays.
func SignatureOf(m *mlir.Module) (s Signature, err error) {
	for op := range m.Body().Operations() {
		if name, ok := op.Symbol(); !ok || name != entry || op.Name() != "func.func" {
			continue
		}
		attr, _ := op.Attribute("function_type")
		t, _ := attr.TypeValue()
		in, out, ok := t.Signature()
		if !ok {
			return s, errors.New("@main is a function without a type")
		}
		for s.Tokens < min(len(in), len(out)) && stablehlo.IsToken(in[s.Tokens]) && stablehlo.IsToken(out[s.Tokens]) {
			s.Tokens++
		}
		if s.Params, err = shapes("parameter", in[s.Tokens:], s.Tokens); err != nil {
			return s, err
		}
		s.Results, err = shapes("result", out[s.Tokens:], s.Tokens)
		return s, err
	}
	return s, errors.New("it has no function @main, the one to run")
}

func shapes(what string, types []mlir.Type, first int) ([]tensor.Shape, error) {
	var list []tensor.Shape
	for i, t := range types {
		s, err := stablehlo.ShapeOf(t)
		if err == nil && !IsOpen(s) {
			err = s.Check()
		}
		if strings.Contains(t.String(), "!quant.") {
			return nil, fmt.Errorf("%s %d of @main is %s: lower the quantized types first: calliope-opt "+
				"--stablehlo-legalize-quant-to-math --chlo-legalize-to-stablehlo makes integers of them", what, first+i, t)
		}
		if err != nil || s.DType == tensor.Token {
			return nil, fmt.Errorf("%s %d of @main is %s: its parameters and results must be arrays of known size",
				what, first+i, t)
		}
		list = append(list, s)
	}
	return list, nil
}

// IsOpen reports whether a shape has a dimension that is not known.
func IsOpen(s tensor.Shape) bool { return slices.Contains(s.Dims, -1) }

// IsOpen reports whether a parameter or a result has a dimension that is not known.
func (s Signature) IsOpen() bool {
	return slices.ContainsFunc(slices.Concat(s.Params, s.Results), IsOpen)
}

// Refine returns a module for parameters of the given shapes: m itself if it has no open dimension and asserts no
// shapes, or else a new module, as stablehlo.Refine does.
func (s Signature) Refine(m *mlir.Module, params []tensor.Shape) (*mlir.Module, error) {
	if !s.IsOpen() && !asserts(m) {
		return m, nil
	}
	tokens := slices.Repeat([]tensor.Shape{{DType: tensor.Token}}, s.Tokens)
	refined, err := stablehlo.Refine(m, append(tokens, params...)...)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(passes.CheckKept(m, refined), stateSignatures(refined, openSignatures(m))); err != nil {
		return nil, errors.Join(err, refined.Close())
	}
	return refined, nil
}

// asserts reports whether a module asserts shapes. JAX writes that also for a program whose shapes are known, and which
// calls an exported one for any shapes.
func asserts(m *mlir.Module) (found bool) {
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if call, ok := stablehlo.AsCustomCall(op); ok && call.Target == "shape_assertion" {
			found = true
			return mlir.WalkStop
		}
		return mlir.WalkContinue
	})
	return found
}
