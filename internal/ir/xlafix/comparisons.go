package xlafix

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// StateSignedness gives comparisons of integers their type, signed or unsigned, where it is left to the operands: a
// plugin compares constants as if they were unsigned then. It returns the number of comparisons that it changed.
func StateSignedness(m *mlir.Module) (int, error) { return stateSignedness(m, m.Operation().Index()) }

func stateSignedness(m *mlir.Module, index *mlir.Index) (n int, err error) {
	for op := range index.Named("stablehlo.compare") {
		if _, stated := op.Attribute("compare_type"); stated {
			continue
		}
		element, _ := op.Operand(0).Type().Element()
		bits, sign, ok := element.IntegerWidth()
		if !ok {
			continue
		}
		t := stablehlo.CompareSigned
		if sign == mlir.Unsigned || bits == 1 {
			t = stablehlo.CompareUnsigned
		}
		a, err := t.Attribute(m.Context())
		if err != nil {
			return n, err
		}
		op.SetAttribute("compare_type", a)
		n++
	}
	return n, nil
}
