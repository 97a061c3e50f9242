package linalg

import (
	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
)

// named creates a named operation and fills its region.
func named(w *ods.Writer) mlir.Operation {
	b := w.Builder()
	op := w.Create()
	if b.Err() != nil {
		return op
	}
	identityMaps(op)
	if err := FillRegion(op); err != nil {
		_ = op.Erase() // the library would crash on it without its body
		b.Fail(err)
		return mlir.Operation{}
	}
	return op
}

// identityMaps gives a linalg.elementwise without maps those of operands of one shape, as the
// library's own builder does.
func identityMaps(op mlir.Operation) {
	const name = "indexing_maps"
	if op.Name() != "linalg.elementwise" || op.NumOperands() == 0 {
		return
	}
	if maps, _ := op.Attribute(name); !maps.IsNil() {
		if given, _ := maps.Elements(); len(given) > 0 {
			return
		}
	}
	c := op.Context()
	rank, _ := op.Operand(op.NumOperands() - 1).Type().Rank()
	identity := affine.Identity(c, rank).Attribute()
	var maps []mlir.Attribute
	for range op.NumOperands() {
		maps = append(maps, identity)
	}
	op.SetAttribute(name, c.ArrayAttribute(maps...))
}
