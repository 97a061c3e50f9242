package lower

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/tensor"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// empty replaces the operations whose results all have no elements, and the padding of arrays without any, also that of
// windows. MLIR's passes crash on some of them, and make others what is not valid, such as a slice that begins at the
// end.
func empty(m *mlir.Module) error {
	var list, pads, windows []mlir.Operation
	m.Operation().WalkPostOrder(func(op mlir.Operation) mlir.WalkAction {
		if isEmpty(op) {
			list = append(list, op)
		} else if op.Name() == "stablehlo.pad" && hasNoElements(op.Operand(0)) {
			pads = append(pads, op)
		} else if op.Name() == "stablehlo.reduce_window" && hasNoElements(op.Operand(0)) {
			windows = append(windows, op)
		}
		return mlir.WalkContinue
	})
	for _, op := range list {
		e := &emitter{Builder: mlir.NewBuilder(mlir.Before(op), op.Location()), op: op}
		err := e.replace(each(op.ResultValues(), func(r mlir.Value) mlir.Value {
			return tensor.Empty(e.Builder, signlessType(e.Context(), r.Type()))
		}))
		if err != nil {
			return err
		}
	}
	for _, op := range pads {
		e := &emitter{Builder: mlir.NewBuilder(mlir.Before(op), op.Location()), op: op}
		all := stablehlo.BroadcastInDim(e.Builder, op.Result(0).Type(), op.Operand(1), nil)
		if err := e.replace([]mlir.Value{all}); err != nil {
			return err
		}
	}
	for _, op := range windows {
		if err := padded(op); err != nil {
			return err
		}
	}
	return nil
}

// padded gives the windows of arrays without elements arrays that only have the padding.
func padded(op mlir.Operation) error {
	o, _ := stablehlo.AsReduceWindow(op)
	e := &emitter{Builder: mlir.NewBuilder(mlir.Before(op), op.Location()), op: op}
	dims, _ := o.Inputs[0].Type().Dims()
	for i, n := range dims {
		if n > 0 && o.BaseDilations != nil {
			n = (n-1)*o.BaseDilations[i] + 1
		}
		if o.Padding != nil {
			n += o.Padding[i][0] + o.Padding[i][1]
		}
		dims[i] = n
	}
	for i, init := range o.InitValues {
		elem, _ := init.Type().Element()
		op.SetOperand(i, stablehlo.BroadcastInDim(e.Builder, e.tensorOf(elem, dims...), init, nil))
	}
	op.RemoveAttribute("base_dilations")
	op.RemoveAttribute("padding")
	return e.Err()
}

// doing are the operations with regions that do more than compute results.
var doing = []string{"stablehlo.case", "stablehlo.if", "stablehlo.while"}

// isEmpty reports whether an operation of StableHLO only computes arrays without elements.
func isEmpty(op mlir.Operation) bool {
	if !strings.HasPrefix(op.Name(), "stablehlo.") || op.NumResults() == 0 || slices.Contains(doing, op.Name()) {
		return false
	}
	return !slices.ContainsFunc(op.ResultValues(), func(r mlir.Value) bool { return !hasNoElements(r) })
}

func hasNoElements(v mlir.Value) bool {
	n, ok := v.Type().NumElements()
	return ok && n == 0
}
