package mlir

import "github.com/calliope-mlir/calliope/internal/capi"

// erased is something that a pattern has erased. Its driver wants to hear of it through
// its rewriter, which frees it: that is put off until the pattern returns, when all
// handles end.
type erased struct {
	grave
	kind capi.Kind
	raw  pointer
}

// bury takes something out of where it stands and keeps it for as long as handles to it
// may be used.
func (r *Rewriter) bury(kind capi.Kind, raw pointer, by string) {
	t := r.c.api
	out, top := r.c.topOf(kind, raw, r.life)
	driven := r.call != nil && r.call.top == top
	var definers []pointer
	if driven {
		definers = capi.Definers(t, kind, raw)
	}
	if kind == capi.OperationKind {
		capi.MlirOperationRemoveFromParent(t, capi.MlirOperation{Ptr: raw})
	} else {
		capi.MlirBlockDetach(t, capi.MlirBlock{Ptr: raw})
	}
	if !driven {
		r.c.entomb(kind, raw, out, by)
		return
	}
	r.erased = append(r.erased, erased{r.c.grave(kind, raw, by), kind, raw})
	for _, p := range definers {
		// The driver looks again at what is used less, as when it erases by itself.
		op := capi.MlirOperation{Ptr: p}
		capi.MlirRewriterBaseStartOpModification(t, r.raw, op)
		capi.MlirRewriterBaseFinalizeOpModification(t, r.raw, op)
	}
}

// free gives the library what the pattern has erased, and reports whether that was
// anything. No handle is used any more.
func (r *Rewriter) free() bool {
	t := r.c.api
	for _, e := range r.erased {
		switch {
		case r.call.walk: // nobody wants to hear of it
		case e.kind == capi.OperationKind:
			capi.MlirRewriterBaseEraseOp(t, r.raw, capi.MlirOperation{Ptr: e.raw})
		default:
			capi.MlirRewriterBaseEraseBlock(t, r.raw, capi.MlirBlock{Ptr: e.raw})
		}
		if e.region.Ptr != nil {
			capi.MlirRegionDestroy(t, e.region)
		}
		capi.MlirBlockDestroy(t, e.block)
		r.c.erased.remove(e.addresses)
	}
	some := len(r.erased) > 0
	r.erased = nil
	return some
}
