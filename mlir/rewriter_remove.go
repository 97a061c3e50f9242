package mlir

import "github.com/calliope-mlir/calliope/internal/capi"

// removed is something that a pattern has erased and that is not freed yet. The driver of
// the pattern is to hear of it through its rewriter, which frees it. That is put off until
// the pattern returns, when all handles end.
type removed struct {
	kind   capi.Kind
	raw    pointer
	by     string          // the method
	block  capi.MlirBlock  // an operation is in it, and its arguments have replaced operands
	region capi.MlirRegion // a block is in it
}

// remove takes something that nothing outside of it uses out of its block or region, and
// destroys it. What a driver works on is kept until the pattern returns.
func (r *Rewriter) remove(kind capi.Kind, raw pointer, by string) {
	t := r.c.api
	if r.call == nil || r.call.top != capi.Top(t, kind, raw) {
		r.c.erase(kind, raw, by)
		return
	}
	definers := capi.Definers(t, kind, raw)
	r.c.forget(capi.Gather(t, kind, raw), erasedBy(by))
	r.c.takeOut(kind, raw)
	gone := removed{kind: kind, raw: raw, by: by, block: capi.Sever(t, kind, raw, nil)}
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
		// The driver looks again at what is used less, as when it erases by itself.
		op := capi.MlirOperation{Ptr: definer.Ptr}
		capi.MlirRewriterBaseStartOpModification(t, r.raw, op)
		capi.MlirRewriterBaseFinalizeOpModification(t, r.raw, op)
	}
}

// free frees what the pattern has erased, and reports whether that was anything. No handle
// to it is used any more.
func (r *Rewriter) free() bool {
	t := r.c.api
	for _, e := range r.erased {
		switch {
		case r.call.walk: // the driver does not want to hear of it
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
