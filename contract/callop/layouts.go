package callop

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// LayoutError says that a callback operation asks for an array in another layout than
// row-major. The function that it calls sees no layout, so each value would stand for
// another element.
type LayoutError struct {
	Target string
	Result bool // of a result, not of an operand
	Index  int
	Type   mlir.Type
	Layout []int64 // minor to major
}

// Error says what to write instead.
func (e *LayoutError) Error() string {
	what, key := "operand", "operand_layouts"
	if e.Result {
		what, key = "result", "result_layouts"
	}
	return fmt.Sprintf("%s of the call of @%s gives %s %d, %s, the layout %v (minor to major), and Go reads and writes arrays in row-major order: leave the layouts out, or transpose in the module",
		key, e.Target, what, e.Index, e.Type, e.Layout)
}

// CheckLayouts is a *LayoutError where a callback operation asks for a layout that is
// not row-major, and nil otherwise. A layout that differs only in where dimensions of 1
// stand is row-major.
func CheckLayouts(call stablehlo.CustomCall) error {
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
			break // the verifier's business
		}
		shape, err := stablehlo.ShapeOf(types[i])
		if err != nil || shape.RowMajor(layout) {
			continue // what is no array has no layout
		}
		return &LayoutError{Target: target, Result: result, Index: i, Type: types[i], Layout: layout}
	}
	return nil
}
