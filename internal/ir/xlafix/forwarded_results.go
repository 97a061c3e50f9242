package xlafix

import "github.com/calliope-mlir/calliope/mlir"

// forwardResults replaces each result of an if or case for which all branches return one value from outside by that
// value. XLA keeps both in one buffer, and may write over it what it computes of the value, while it reads the result.
// forwardResults returns the number of results that it replaced.
func forwardResults(m *mlir.Module) (int, error) {
	n := 0
	for op := range m.Operation().Index().Named(branches...) {
		for i, r := range op.Results() {
			if v := forwarded(op, i); !v.IsNil() && r.HasUses() {
				r.ReplaceAllUses(v)
				n++
			}
		}
	}
	return n, nil
}

// forwarded returns the value from outside that all branches return as a result, or nil. The result of a case with one
// branch is not looked for: XLA itself removes such a case.
func forwarded(op mlir.Operation, result int) (v mlir.Value) {
	if op.NumRegions() < 2 {
		return mlir.Value{}
	}
	for i, region := range op.Regions() {
		value := returned(region, result)
		if value.IsNil() || i > 0 && !value.Equal(v) || op.Encloses(value) {
			return mlir.Value{}
		}
		v = value
	}
	return v
}

// returned returns a value that a region returns, or nil.
func returned(region mlir.Region, i int) mlir.Value {
	if region.NumBlocks() != 1 {
		return mlir.Value{}
	}
	end := region.First().Terminator()
	if end.IsNil() || i >= end.NumOperands() {
		return mlir.Value{}
	}
	return end.Operand(i)
}
