package memref

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/mlir"
)

// SubView creates a memref.subview of a part of source, and returns it. If strides is nil, they are
// 1. The result has the rank of source, and its layout follows from the parts: SubViewOp makes one of
// lower rank.
func SubView(b *mlir.Builder, source mlir.Value, offsets, sizes, strides []mlir.Size) mlir.Value {
	t, dims := ods.Shaped(b, "the source of memref.subview", source)
	s := ods.SliceOf(b, "memref.subview", len(dims), offsets, sizes, strides)
	return SubViewOp{
		Source: source, Offsets: s.OffsetValues, Sizes: s.SizeValues, Strides: s.StrideValues,
		StaticOffsets: s.Offsets, StaticSizes: s.Sizes, StaticStrides: s.Strides, ResultType: part(b, t, s),
	}.Create(b).Result(0)
}

// part returns the type of a part of a memref.
func part(b *mlir.Builder, t mlir.Type, s ods.Slice) mlir.Type {
	if b.Err() != nil {
		return mlir.Type{}
	}
	strides, offset, ok := t.Strides()
	if !ok {
		b.Fail(fmt.Errorf("the source of memref.subview has the type %s: it must have strides", t))
		return mlir.Type{}
	}
	for i := range strides {
		offset = plus(offset, times(s.Offsets[i], strides[i]))
		strides[i] = times(strides[i], s.Strides[i])
	}
	elem, _ := t.Element()
	space, _ := t.MemorySpace()
	result, err := b.Context().MemRefType(elem, mlir.MemRefOptions{
		Layout: b.Context().StridedLayoutAttribute(offset, strides...), MemorySpace: space}, s.Sizes...)
	b.Fail(err)
	return result
}

// times and plus compute with numbers that may be Dynamic.
func times(a, b int64) int64 {
	switch {
	case a == 0 || b == 0:
		return 0
	case a == mlir.Dynamic || b == mlir.Dynamic:
		return mlir.Dynamic
	}
	return a * b
}

func plus(a, b int64) int64 {
	if a == mlir.Dynamic || b == mlir.Dynamic {
		return mlir.Dynamic
	}
	return a + b
}

// GenericAtomicRMW creates a memref.generic_atomic_rmw: body computes the new element from the old
// one, and no other thread changes it meanwhile. It returns the old element.
func GenericAtomicRMW(
	b *mlir.Builder, memref mlir.Value, indices []mlir.Value, body func(old mlir.Value) mlir.Value,
) mlir.Value {
	ods.Needs(b, body != nil)
	t, _ := ods.Shaped(b, "the memref of memref.generic_atomic_rmw", memref)
	var elem mlir.Type
	if b.Err() == nil {
		elem, _ = t.Element()
	}
	region := b.Region(func(in []mlir.Value) { AtomicYield(b, body(in[0])) }, elem)
	return GenericAtomicRMWOp{Memref: memref, Indices: indices, AtomicBody: region}.Create(b).Result(0)
}

// AllocaScope creates a memref.alloca_scope: what body allocates on the stack is freed at its end. It
// returns what body returns.
func AllocaScope(b *mlir.Builder, body func() []mlir.Value) []mlir.Value {
	ods.Needs(b, body != nil)
	var out []mlir.Value
	region := b.Region(func([]mlir.Value) {
		out = body()
		AllocaScopeReturn(b, out...)
	})
	op := AllocaScopeOp{BodyRegion: region,
		ResultsTypes: ods.Types(b, "the results of memref.alloca_scope", out)}.Create(b)
	return ods.Results(op, len(out))
}
