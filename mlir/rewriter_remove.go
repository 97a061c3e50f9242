package mlir

import "github.com/calliope-mlir/calliope/experimental/capi"

// removed is an object that a pattern has erased and that is not freed yet. The rewriter
// must notify the driver of the pattern when it frees the object. This is deferred until
// the pattern returns, when all handles end.
type removed struct {
	kind   capi.Kind
	raw    pointer
	by     string          // the name of the method
	block  capi.MlirBlock  // contains an operation; its arguments have replaced operands
	region capi.MlirRegion // contains a block
}

// remove removes an object that is not used outside from its block or region, and destroys
// it. If a driver works on its outermost object, the object is kept until the pattern
// returns.
func (r *Rewriter) remove(kind capi.Kind, raw pointer, by string) {
	t := r.c.api
	if r.call == nil || r.call.top != capi.Top(t, kind, raw) {
		r.c.erase(kind, raw, by)
		return
	}
	definers := capi.Definers(t, kind, raw)
	r.c.forget(capi.Gather(t, kind, raw), erasedBy(by))
	r.c.unlink(kind, raw)
	gone := removed{kind: kind, raw: raw, by: by, block: capi.ReplaceOutsideUses(t, kind, raw, nil)}
	if gone.block.Ptr == nil {
		gone.block = capi.MlirBlockCreate(t, 0, nil, nil)
	}
	if kind == capi.OperationKind {
		capi.MlirBlockAppendOwnedOperation(t, gone.block, capi.MlirOperation{Ptr: raw})
	} else {
		gone.region = capi.MlirRegionCreate(t)
		capi.MlirRegionAppendOwnedBlock(t, gone.region, capi.MlirBlock{Ptr: raw})
	}
	r.erased = append(r.erased, gone)
	for _, definer := range definers {
		// The driver visits operations again that have fewer uses, as when it erases an
		// operation itself.
		op := capi.MlirOperation{Ptr: definer.Ptr}
		capi.MlirRewriterBaseStartOpModification(t, r.raw, op)
		capi.MlirRewriterBaseFinalizeOpModification(t, r.raw, op)
	}
}

// free frees the objects that the pattern has erased, and reports whether there were any.
// Their handles have ended.
func (r *Rewriter) free() bool {
	t := r.c.api
	for _, e := range r.erased {
		switch {
		case r.call.walk: // the driver must not be notified
		case e.kind == capi.OperationKind:
			capi.MlirRewriterBaseEraseOp(t, r.raw, capi.MlirOperation{Ptr: e.raw})
		default:
			capi.MlirRewriterBaseEraseBlock(t, r.raw, capi.MlirBlock{Ptr: e.raw})
		}
		if e.region.Ptr != nil {
			capi.MlirRegionDestroy(t, e.region)
		}
		capi.MlirBlockDestroy(t, e.block)
	}
	some := len(r.erased) > 0
	r.erased = nil
	return some
}
