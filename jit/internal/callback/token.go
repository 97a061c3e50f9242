package callback

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// DropTokens makes the tokens in a function arrays without elements, and removes those that are its first parameters
// and results. Calls of the host keep the order of the text, so nothing needs them.
func DropTokens(f mlir.Operation) error {
	array, err := stablehlo.TensorType(f.Context(), stablehlo.RuntimeTokenShape())
	if err != nil {
		return err
	}
	body := f.Region(0).First()
	end := body.Terminator()
	results := end.OperandValues()
	results = results[stablehlo.Tokens(mlir.TypesOf(results)):]
	end.SetOperands(results...)
	b := mlir.NewBuilder(mlir.AtStart(body), f.Location())
	none := stablehlo.Constant(b, tensor.View{Shape: stablehlo.RuntimeTokenShape(), Data: []byte{}})
	if b.Err() != nil {
		return b.Err()
	}
	for body.NumArguments() > 0 && stablehlo.IsToken(body.Argument(0).Type()) {
		body.Argument(0).ReplaceAllUses(none)
		if err := body.EraseArgument(0); err != nil {
			return err
		}
	}
	var makers []mlir.Operation
	for op := range f.All() {
		if op.Name() == "stablehlo.create_token" || op.Name() == "stablehlo.after_all" {
			makers = append(makers, op)
			continue
		}
		setTokens(op, array)
	}
	for _, op := range makers {
		op.Result(0).ReplaceAllUses(none)
		if err := op.Erase(); err != nil {
			return err
		}
	}
	c := f.Context()
	t := c.FunctionType(mlir.TypesOf(body.ArgumentValues()), mlir.TypesOf(end.OperandValues()))
	f.SetAttribute("function_type", c.TypeAttribute(t))
	f.RemoveAttribute("arg_attrs")
	f.RemoveAttribute("res_attrs")
	return nil
}

// setTokens gives the results of an operation that are tokens, and such arguments of its regions, another type.
func setTokens(op mlir.Operation, t mlir.Type) {
	replace := func(v mlir.Value) {
		if stablehlo.IsToken(v.Type()) {
			v.SetType(t)
		}
	}
	for _, v := range op.Results() {
		replace(v)
	}
	for _, r := range op.Regions() {
		for block := range r.Blocks() {
			for _, v := range block.Arguments() {
				replace(v)
			}
		}
	}
}
