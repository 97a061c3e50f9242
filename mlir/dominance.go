package mlir

import "github.com/calliope-mlir/calliope/experimental/capi"

// A Dominance answers which operations, values and blocks come before which others on every
// path. It is a snapshot: it must not be used after the IR that it is about has changed. The
// caller must close it, or it is closed with its context.
type Dominance struct {
	ctx  *Context
	life *lifetime
	root Operation
	info capi.MlirDominanceInfo
	post capi.MlirPostDominanceInfo
}

// Dominance analyses the regions of the operation. It returns an UnsupportedError if the
// library has no such analysis.
func (o Operation) Dominance() (*Dominance, error) {
	t := o.life.use("Operation.Dominance", o.raw.Ptr)
	c := o.life.ctx
	if err := c.lib.need("mlirDominanceInfoCreate", "mlirPostDominanceInfoCreate"); err != nil {
		return nil, err
	}
	d := &Dominance{ctx: c, root: o, life: &lifetime{ctx: c, of: "Dominance", parent: c.life}}
	d.info = capi.MlirDominanceInfoCreate(t, o.raw)
	d.post = capi.MlirPostDominanceInfoCreate(t, o.raw)
	c.calls.keep(d)
	return d, nil
}

// Close releases the analysis. Closing a closed Dominance does nothing. The error is always
// nil.
func (d *Dominance) Close() error {
	if d.life.ended || d.ctx.life.ended {
		return nil
	}
	capi.MlirDominanceInfoDestroy(d.ctx.api, d.info)
	capi.MlirPostDominanceInfoDestroy(d.ctx.api, d.post)
	d.life.ended = true
	delete(d.ctx.calls.open, d)
	return nil
}

// table returns the function table. It panics if the operation that was analysed is gone.
func (d *Dominance) table(method string) *capi.Table {
	d.life.check(method)
	return d.root.life.use(method, d.root.raw.Ptr)
}

// operation returns an operation that is in the one that was analysed.
func (d *Dominance) operation(o Operation, method string) capi.MlirOperation {
	raw := o.in(d.ctx, method)
	if raw == d.root.raw || !capi.Inside(d.ctx.api, raw, d.root.raw.Ptr) {
		panic("mlir: " + method + " was given an operation that is not in the one that was analysed")
	}
	return raw
}

func (d *Dominance) block(b Block, method string) capi.MlirBlock {
	raw := b.in(d.ctx, method)
	if around := b.Parent(); around.IsNil() || !capi.Inside(d.ctx.api, around.raw, d.root.raw.Ptr) {
		panic("mlir: " + method + " was given a block that is not in the operation that was analysed")
	}
	return raw
}

// Dominates reports whether every path to b goes through a. An operation dominates itself
// and the operations in its regions.
func (d *Dominance) Dominates(a, b Operation) bool {
	t := d.table("Dominance.Dominates")
	return capi.MlirDominanceInfoDominatesOperation(t, d.info, d.operation(a, "Dominance.Dominates"),
		d.operation(b, "Dominance.Dominates"))
}

// ValueDominates reports whether v can be an operand at the place of an operation.
func (d *Dominance) ValueDominates(v Value, at Operation) bool {
	const method = "Dominance.ValueDominates"
	t := d.table(method)
	raw := v.in(d.ctx, method)
	if owner := v.Owner(); !owner.IsNil() {
		d.operation(owner, method)
	} else {
		d.block(v.Block(), method)
	}
	return capi.MlirDominanceInfoValueProperlyDominates(t, d.info, raw, d.operation(at, method))
}

// BlockDominates reports whether every path to b goes through a. A block dominates itself.
func (d *Dominance) BlockDominates(a, b Block) bool {
	t := d.table("Dominance.BlockDominates")
	return capi.MlirDominanceInfoDominatesBlock(t, d.info, d.block(a, "Dominance.BlockDominates"),
		d.block(b, "Dominance.BlockDominates"))
}

// PostDominates reports whether every path from b to the end goes through a. An operation
// post-dominates itself and the operations in its regions.
func (d *Dominance) PostDominates(a, b Operation) bool {
	t := d.table("Dominance.PostDominates")
	return capi.MlirPostDominanceInfoPostDominatesOperation(t, d.post, d.operation(a, "Dominance.PostDominates"),
		d.operation(b, "Dominance.PostDominates"))
}

// BlockPostDominates reports whether every path from b to the end goes through a.
func (d *Dominance) BlockPostDominates(a, b Block) bool {
	const method = "Dominance.BlockPostDominates"
	t := d.table(method)
	return capi.MlirPostDominanceInfoPostDominatesBlock(t, d.post, d.block(a, method), d.block(b, method))
}

// CommonDominator returns the last block that dominates both, or the nil Block if there is
// none.
func (d *Dominance) CommonDominator(a, b Block) Block {
	const method = "Dominance.CommonDominator"
	t := d.table(method)
	return d.ctx.block(
		capi.MlirDominanceInfoFindNearestCommonDominator(t, d.info, d.block(a, method), d.block(b, method)))
}

// Reachable reports whether a path leads from the first block of the region to the block.
func (d *Dominance) Reachable(b Block) bool {
	t := d.table("Dominance.Reachable")
	return capi.MlirDominanceInfoIsReachableFromEntry(t, d.info, d.block(b, "Dominance.Reachable"))
}
