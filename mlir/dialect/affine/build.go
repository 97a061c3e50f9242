package affine

import (
	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
)

// For creates a loop from lower up to, and without, upper. body builds one iteration and
// gets the induction variable, of type index.
func For(b *mlir.Builder, lower, upper, step int64, body func(i mlir.Value)) mlir.Operation {
	ods.Needs(b, body != nil)
	c := b.Context()
	region := b.Region(func(in []mlir.Value) {
		body(in[0])
		Yield(b)
	}, c.IndexType())
	bound := func(v int64) affine.Map { return affine.NewMap(c, 0, 0, affine.Constant(c, v)) }
	return ForOp{LowerBoundMap: bound(lower), UpperBoundMap: bound(upper), Step: step, Region: region}.Create(b)
}

// Load creates an affine.load. at maps the indices to those of the memref, and is the
// identity if it is the zero affine.Map.
func Load(b *mlir.Builder, memref mlir.Value, at affine.Map, indices ...mlir.Value) mlir.Value {
	op := LoadOp{Memref: memref, Indices: indices, Map: orIdentity(b, at, indices)}
	if b.Err() == nil && !memref.IsNil() {
		op.ResultType, _ = memref.Type().Element()
	}
	return op.Create(b).Result(0)
}

// Store creates an affine.store. at is as in [Load].
func Store(b *mlir.Builder, value, memref mlir.Value, at affine.Map, indices ...mlir.Value) mlir.Operation {
	return StoreOp{Value: value, Memref: memref, Indices: indices, Map: orIdentity(b, at, indices)}.Create(b)
}

func orIdentity(b *mlir.Builder, m affine.Map, indices []mlir.Value) affine.Map {
	if m.IsNil() {
		return affine.Identity(b.Context(), len(indices))
	}
	return m
}
