package lower

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// resources gives constants of elements of less than a byte their elements, if these are in resources: LLVM reads none
// of them there.
func resources(m *mlir.Module) (n int, err error) {
	for op := range m.Operation().Index().Named("stablehlo.constant") {
		value, _ := op.Attribute("value")
		shape, err := stablehlo.ShapeOf(op.Result(0).Type())
		if value.Kind() != mlir.AttrResource || err != nil || shape.DType.Bits() >= 8 {
			continue
		}
		if err := stablehlo.InlineResource(op); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
