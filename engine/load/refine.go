package load

import (
	"errors"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Refine gives the parameters of the module the given shapes, and computes those of everything else, as
// stablehlo.Refine does. It does nothing if no dimension is open, and nothing asserts shapes.
func (m *Module) Refine(params []tensor.Shape) error {
	if !m.IsOpen() && !asserts(m.Module) {
		return nil
	}
	tokens := slices.Repeat([]tensor.Shape{{DType: tensor.Token}}, m.Tokens)
	refined, err := stablehlo.Refine(m.Module, append(tokens, params...)...)
	if err != nil {
		return err
	}
	err = errors.Join(passes.CheckKept(m.Module, refined), stateSignatures(refined, openSignatures(m.Module)))
	if err != nil {
		return errors.Join(err, refined.Close())
	}
	m.Module = refined
	m.Main, err = stablehlo.MainOf(refined)
	return err
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
