// Package dominance answers which operations, values and blocks come before which others on every path through the
// regions of an operation.
package dominance

import (
	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// An Info is an analysis of an operation. It is a snapshot: it must not be used after the IR that it is about has
// changed. Its methods panic if they are given what is not in that operation. The caller must close it, or it is closed
// with its context. Like the context, it is for one goroutine at a time.
type Info struct {
	c      *mlir.Context
	root   mlir.Operation
	info   capi.MlirDominanceInfo
	post   capi.MlirPostDominanceInfo
	closed bool
}

// Of analyses the regions of the operation. It returns an *mlir.UnsupportedError if the library has no such analysis.
func Of(o mlir.Operation) (*Info, error) {
	c, h := raw.UnwrapOperation(o, "dominance.Of")
	if err := raw.Need(c.Library(), "mlirDominanceInfoCreate", "mlirPostDominanceInfoCreate"); err != nil {
		return nil, err
	}
	t := raw.Table(c)
	i := &Info{c: c, root: o, info: capi.MlirDominanceInfoCreate(t, h), post: capi.MlirPostDominanceInfoCreate(t, h)}
	raw.Keep(c, i)
	return i, nil
}

// Close releases the analysis. Closing a closed Info does nothing. The error is always nil.
func (i *Info) Close() error {
	i.closed = true
	if raw.Drop(i.c, i) {
		t := raw.Table(i.c)
		capi.MlirDominanceInfoDestroy(t, i.info)
		capi.MlirPostDominanceInfoDestroy(t, i.post)
	}
	return nil
}

// use returns the function table. It panics if the operation that was analysed is gone.
func (i *Info) use(method string) *capi.Table {
	if i.closed {
		panic("mlir: " + method + " called after Info.Close")
	}
	raw.UnwrapOperation(i.root, method)
	return raw.Table(i.c)
}

// encloses reports whether an operation is the one that was analysed, or in it.
func (i *Info) encloses(o capi.MlirOperation) bool {
	_, root := raw.UnwrapOperation(i.root, "dominance.Info")
	return capi.Inside(raw.Table(i.c), o, root.Ptr)
}

// operation returns an operation that is in the one that was analysed.
func (i *Info) operation(o mlir.Operation, method string) capi.MlirOperation {
	h := raw.OperationIn(o, i.c, method)
	if o == i.root || !i.encloses(h) {
		panic("mlir: " + method + " was given an operation that is not in the one that was analysed")
	}
	return h
}

func (i *Info) block(b mlir.Block, method string) capi.MlirBlock {
	h := raw.BlockIn(b, i.c, method)
	if around := b.Parent(); around.IsNil() || !i.encloses(raw.OperationIn(around, i.c, method)) {
		panic("mlir: " + method + " was given a block that is not in the operation that was analysed")
	}
	return h
}

// Dominates reports whether every path to b goes through a. An operation dominates itself and the operations in its
// regions.
func (i *Info) Dominates(a, b mlir.Operation) bool {
	const method = "dominance.Info.Dominates"
	t := i.use(method)
	return capi.MlirDominanceInfoDominatesOperation(t, i.info, i.operation(a, method), i.operation(b, method))
}

// ValueDominates reports whether v can be an operand at the place of an operation.
func (i *Info) ValueDominates(v mlir.Value, at mlir.Operation) bool {
	const method = "dominance.Info.ValueDominates"
	t := i.use(method)
	h := raw.ValueIn(v, i.c, method)
	if owner := v.Owner(); !owner.IsNil() {
		i.operation(owner, method)
	} else {
		i.block(v.Block(), method)
	}
	return capi.MlirDominanceInfoValueProperlyDominates(t, i.info, h, i.operation(at, method))
}

// BlockDominates reports whether every path to b goes through a. A block dominates itself.
func (i *Info) BlockDominates(a, b mlir.Block) bool {
	const method = "dominance.Info.BlockDominates"
	t := i.use(method)
	return capi.MlirDominanceInfoDominatesBlock(t, i.info, i.block(a, method), i.block(b, method))
}

// PostDominates reports whether every path from b to the end goes through a. An operation post-dominates itself and the
// operations in its regions.
func (i *Info) PostDominates(a, b mlir.Operation) bool {
	const method = "dominance.Info.PostDominates"
	t := i.use(method)
	return capi.MlirPostDominanceInfoPostDominatesOperation(t, i.post, i.operation(a, method), i.operation(b, method))
}

// BlockPostDominates reports whether every path from b to the end goes through a.
func (i *Info) BlockPostDominates(a, b mlir.Block) bool {
	const method = "dominance.Info.BlockPostDominates"
	t := i.use(method)
	return capi.MlirPostDominanceInfoPostDominatesBlock(t, i.post, i.block(a, method), i.block(b, method))
}

// CommonDominator returns the last block that dominates both, or the nil Block if there is none.
func (i *Info) CommonDominator(a, b mlir.Block) mlir.Block {
	const method = "dominance.Info.CommonDominator"
	t := i.use(method)
	return raw.WrapBlock(i.c,
		capi.MlirDominanceInfoFindNearestCommonDominator(t, i.info, i.block(a, method), i.block(b, method)))
}

// Reachable reports whether a path leads from the first block of the region to the block.
func (i *Info) Reachable(b mlir.Block) bool {
	const method = "dominance.Info.Reachable"
	return capi.MlirDominanceInfoIsReachableFromEntry(i.use(method), i.info, i.block(b, method))
}
