package affine

import "github.com/calliope-mlir/calliope/mlir"

// For creates a loop from lower up to, and without, upper. body builds one iteration and
// gets the induction variable, of type index.
func For(b *mlir.Builder, lower, upper, step int64, body func(i mlir.Value)) mlir.Operation {
	c := b.Context()
	region := b.Region(func(in []mlir.Value) {
		body(in[0])
		Yield(b)
	}, c.IndexType())
	return ForOp{LowerBoundMap: c.ConstantMap(lower), UpperBoundMap: c.ConstantMap(upper), Step: step, Region: region}.Create(b)
}
