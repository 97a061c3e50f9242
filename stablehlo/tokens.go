package stablehlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// EffectAttribute is the attribute of a parameter and of a result of main that are the runtime
// token of an effect. Its value is the effect's name, a string.
const EffectAttribute = "calliope.effect"

// RuntimeTokenShape returns the shape of a runtime token. It has no elements: XLA waits for
// such an array at the start of an execution, as for any other, and nothing is copied.
func RuntimeTokenShape() tensor.Shape { return tensor.ShapeOf(tensor.Pred, 0) }

// RuntimeTokens returns the effects for which main takes and returns a runtime token, in the
// order of its parameters, or nil if there are none. passes.AddRuntimeTokens adds them. The
// marked parameters must be the last ones, the marked results too, in the same order.
func RuntimeTokens(m *mlir.Module) ([]string, error) {
	for op := range m.Body().Operations() {
		if isMain(op) {
			return runtimeTokens(op)
		}
	}
	return nil, nil
}

func runtimeTokens(main mlir.Operation) ([]string, error) {
	a, _ := main.Attribute("function_type")
	t, _ := a.TypeValue()
	in, out, _ := t.Signature()
	params, err := marked(main, "parameter", "arg_attrs", in)
	if err != nil {
		return nil, err
	}
	results, err := marked(main, "result", "res_attrs", out)
	if err != nil {
		return nil, err
	}
	for i := range max(len(params), len(results)) {
		if i >= len(params) || i >= len(results) || params[i] != results[i] {
			return nil, fmt.Errorf("stablehlo: the parameters of main with %s are for the effects %q, but the results for %q: both must be the same", EffectAttribute, params, results)
		}
	}
	return params, nil
}

// marked returns the effects of the parameters or results of main that have the attribute.
func marked(main mlir.Operation, what, list string, types []mlir.Type) (effects []string, err error) {
	all, has := main.Attribute(list)
	if !has {
		return nil, nil
	}
	attributes, _ := all.Elements()
	for i, t := range types[:min(len(types), len(attributes))] {
		a, ok := attributes[i].Entry(EffectAttribute)
		if !ok {
			if len(effects) > 0 {
				return nil, fmt.Errorf("stablehlo: %s %d of main has no %s, but one before it has: runtime tokens are the last ones", what, i, EffectAttribute)
			}
			continue
		}
		effect, isText := a.Text()
		shape, err := ShapeOf(t)
		switch {
		case !isText:
			return nil,
				fmt.Errorf("stablehlo: %s %d of main has %s = %s: it must be a string", what, i, EffectAttribute, a)
		case err != nil || !shape.Equal(RuntimeTokenShape()):
			return nil, fmt.Errorf("stablehlo: %s %d of main has %s, but is a %s: a runtime token is a %s", what, i,
				EffectAttribute, t, RuntimeTokenShape())
		}
		effects = append(effects, effect)
	}
	return effects, nil
}
