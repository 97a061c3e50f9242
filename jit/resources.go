package jit

import "github.com/calliope-mlir/calliope/mlir"

// smallResources returns the constants of a module whose value is a resource of at most one element. MLIR folds an
// operation on such a value without end, or divides by its size, and cannot read the bytecode of an empty one.
func smallResources(m *mlir.Module) (list []mlir.Operation) {
	for op := range m.Operation().All() {
		value, ok := op.Attribute("value")
		if !ok || value.Kind() != mlir.AttrResource {
			continue
		}
		t, _ := value.Type()
		if n, known := t.NumElements(); known && n <= 1 {
			list = append(list, op)
		}
	}
	return list
}

// withoutResources gives constants their elements in place of a resource.
func withoutResources(list []mlir.Operation) error {
	for _, op := range list {
		value, _ := op.Attribute("value")
		data, err := value.ResourceBytes()
		if err != nil {
			return err
		}
		t, _ := value.Type()
		dense, err := op.Context().DenseAttribute(t, data)
		if err != nil {
			return err
		}
		op.SetAttribute("value", dense)
	}
	return nil
}
