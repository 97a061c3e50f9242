package passes

import (
	"errors"
	"slices"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// AddRuntimeTokens gives main a runtime token for each effect of the module's ordered
// callbacks, so that bridge keeps the order of these effects across executions, also on
// several devices: see bridge.Sequence. It returns the effects for which it added one, in the
// order of their first callbacks in the text.
//
// A runtime token is a parameter and a result of main after the others, of type tensor<0xi1>,
// with the attribute calliope.effect, whose value is the effect's name. main returns the
// parameter. The tokens that order callbacks within the module, of one byte, do not depend on
// it: XLA begins an execution when all its arguments are computed, and all results are
// computed at its end. Hosts that do not know the attribute must pass an empty array, and
// ignore the result.
//
// Effects that have a runtime token get no second one. AddRuntimeTokens changes nothing and
// returns an error if main is missing, or if the module calls it.
func AddRuntimeTokens(m *mlir.Module) ([]string, error) {
	effects, err := stablehlo.RuntimeTokens(m)
	if err != nil {
		return nil, err
	}
	had := len(effects)
	for call := range callop.Calls(m) {
		c := call.Config
		if call.Err == nil && (c.NumTokens > 0 || c.Effect != "") && !slices.Contains(effects, c.Effect) {
			effects = append(effects, c.Effect)
		}
	}
	effects = effects[had:]
	if len(effects) == 0 {
		return nil, nil
	}
	_, byName := function.Defined(m)
	main, ok := byName["main"]
	switch calls, only := callsOf(m, "main"); {
	case !ok || main.Region(0).NumBlocks() != 1:
		return nil, errors.New("passes: AddRuntimeTokens: the module has no function main of one block")
	case len(calls) > 0 || !only:
		return nil, errors.New("passes: AddRuntimeTokens: the module refers to main, whose signature would change: move what main does to another function")
	}
	c := m.Context()
	token, err := stablehlo.TensorType(c, stablehlo.RuntimeTokenShape())
	if err != nil {
		return nil, err
	}
	block := main.Region(0).First()
	for _, effect := range effects {
		end := block.Terminator()
		end.SetOperands(append(end.OperandValues(), block.AddArgument(token, main.Location()))...)
		rewrite.SetSignature(main, -1, -1)
		name := c.StringAttribute(effect)
		err := function.SetArgAttr(main, block.NumArguments()-1, stablehlo.EffectAttribute, name)
		if err == nil {
			err = function.SetResultAttr(main, end.NumOperands()-1, stablehlo.EffectAttribute, name)
		}
		if err != nil {
			return nil, err
		}
	}
	return effects, m.Verify()
}
