package callop

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A LayoutError reports that a callback operation has a layout other than row-major. The
// function does not get the layout, so it would read and write values in the wrong order.
type LayoutError struct {
	Target string
	Result bool // of a result, not of an operand
	Index  int
	Type   mlir.Type
	Layout []int64 // minor to major
}

// Error returns a message with the layout and how to correct it.
func (e *LayoutError) Error() string {
	what, key := "operand", "operand_layouts"
	if e.Result {
		what, key = "result", "result_layouts"
	}
	return fmt.Sprintf("%s of the call of @%s gives %s %d, %s, the layout %v (minor to major), and Go reads and writes arrays in row-major order: leave the layouts out, or transpose in the module",
		key, e.Target, what, e.Index, e.Type, e.Layout)
}

// CheckLayouts returns a *LayoutError if a callback operation has a layout that is not
// row-major, and nil otherwise. A layout that differs only in the order of dimensions of size
// 1 is row-major.
func CheckLayouts(call stablehlo.CustomCallOp) error {
	types := make([]mlir.Type, len(call.Operands))
	for i, v := range call.Operands {
		types[i] = v.Type()
	}
	if err := checkLayouts(call.Target, false, types, call.OperandLayouts); err != nil {
		return err
	}
	results := call.Results
	if len(results) == 1 {
		if parts, ok := results[0].Elements(); ok { // of a tuple
			results = parts
		}
	}
	return checkLayouts(call.Target, true, results, call.ResultLayouts)
}

func checkLayouts(target string, result bool, types []mlir.Type, layouts [][]int64) error {
	for i, layout := range layouts {
		if i >= len(types) {
			break // the verifier reports it
		}
		shape, err := stablehlo.ShapeOf(types[i])
		if err != nil || shape.RowMajor(layout) {
			continue // only arrays have layouts
		}
		return &LayoutError{Target: target, Result: result, Index: i, Type: types[i], Layout: layout}
	}
	return nil
}
