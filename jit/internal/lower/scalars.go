package lower

import (
	"github.com/calliope-mlir/calliope/mlir"
)

// scalars makes the operations linalg.generic on tensors of rank 0 operations on their elements, so that they need no
// buffers.
func scalars(m *mlir.Module) error {
	var list []mlir.Operation
	m.Operation().WalkPostOrder(func(op mlir.Operation) mlir.WalkAction { // those in others before these
		if op.Name() == "linalg.generic" && allScalars(op.OperandValues()) && op.NumResults() > 0 {
			list = append(list, op)
		}
		return mlir.WalkContinue
	})
	for _, op := range list {
		e := &emitter{Builder: mlir.NewBuilder(mlir.Before(op), op.Location()), op: op}
		values := e.take(op.Region(0).First(), each(op.OperandValues(), e.unpack))
		values = each(values, e.pack)
		if err := e.Err(); err != nil {
			return err
		}
		if err := e.replace(values); err != nil {
			return err
		}
	}
	return nil
}

func allScalars(values []mlir.Value) bool {
	for _, v := range values {
		if !isScalar(v.Type()) {
			return false
		}
	}
	return true
}
