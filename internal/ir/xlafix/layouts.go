package xlafix

import (
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// ConstrainLayouts makes the arrays of callbacks row-major where XLA may choose otherwise: of
// calls of the contract with several results, one of which has two dimensions or more, and without
// operand_layouts. XLA gives such a result the layout that suits the operations that use it, and the
// bridge refuses the module, because Go functions read and write arrays in row-major order.
// ConstrainLayouts returns the number of calls that it gave layouts.
func ConstrainLayouts(m *mlir.Module) (int, error) {
	n := 0
	for found := range callop.Calls(m) {
		if found.Config.Host.Encoding != contract.EncodingDictionary {
			continue // other hosts have their own forms
		}
		call, ok := stablehlo.AsCustomCall(found.Op)
		if !ok || call.OperandLayouts != nil || !mayTranspose(call.Results) {
			continue
		}
		operands := mlir.TypesOf(call.Operands)
		if call.OperandLayouts, ok = rowMajor(operands); !ok {
			continue
		}
		if call.ResultLayouts, ok = rowMajor(call.Results); !ok {
			continue
		}
		attributes, err := call.Attributes(m.Context())
		if err != nil {
			return n, err
		}
		for _, a := range attributes {
			if a.Name == "operand_layouts" || a.Name == "result_layouts" {
				found.Op.SetAttribute(a.Name, a.Value)
			}
		}
		n++
	}
	return n, nil
}

// mayTranspose reports whether XLA may choose the layouts of results.
func mayTranspose(results []mlir.Type) bool {
	for _, t := range results {
		if rank, ok := t.Rank(); ok && rank > 1 && len(results) > 1 {
			return true
		}
	}
	return false
}

// rowMajor returns row-major layouts of arrays, or false if a type is none.
func rowMajor(types []mlir.Type) (layouts [][]int64, ok bool) {
	layouts = [][]int64{}
	for _, t := range types {
		if !t.IsRankedTensor() {
			return nil, false
		}
		rank, _ := t.Rank()
		layout := make([]int64, rank)
		for i := range layout {
			layout[i] = int64(int(rank) - 1 - i)
		}
		layouts = append(layouts, layout)
	}
	return layouts, true
}
