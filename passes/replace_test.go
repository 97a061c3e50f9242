package passes_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
)

func TestReplaceCall(t *testing.T) {
	m := parse(t, `
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<i32>, tensor<4xf32>) {
  %a, %b = stablehlo.custom_call @swap(%x, %n, %x) {output_operand_aliases = [
    #stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 1, operand_tuple_indices = []>,
    #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]} :
    (tensor<4xf32>, tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  %c = stablehlo.custom_call @make(%x) : (tensor<4xf32>) -> tensor<i32>
  return %a, %b : tensor<i32>, tensor<4xf32>
}`)
	var ops []mlir.Operation
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if op.Name() == "stablehlo.custom_call" {
			ops = append(ops, op)
		}
		return mlir.WalkContinue
	})
	var orders [][]int
	var errs []string
	for _, op := range ops {
		call, _ := stablehlo.AsCustomCall(op)
		order, err := rewrite.PassthroughOrder(call)
		orders = append(orders, order)
		if err != nil {
			errs = append(errs, err.Error())
		}
		check.NoError(t, passes.ReplaceCall(op, order, contract.Config{ID: 5}))
	}
	if diff := cmp.Diff([][]int{{1, 0, 2}, {0}}, orders); diff != "" {
		t.Errorf("orders (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"its results are not of the types of its operands"}, errs); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	check.Report(t, m.Verify())
	var forms []contract.Form
	for call := range callop.Calls(m) {
		forms = append(forms, call.Config.Form)
	}
	if diff := cmp.Diff([]contract.Form{contract.Passthrough, contract.Call}, forms); diff != "" {
		t.Errorf("forms (-want +got):\n%s", diff)
	}
	if err := passes.ReplaceCall(m.Operation(), nil, contract.Config{ID: 5}); err == nil {
		t.Error("a module was replaced")
	}
}
