package mlir

import "github.com/calliope-mlir/calliope/experimental/capi"

// A greedy driver cannot be stopped. After a pattern has failed, the driver continues to
// fold unfinished IR, and crashes if that is not valid. So the contents of its operation
// are moved away with the driver's rewriter, which notifies the driver of erased
// operations. When the driver returns, the operation gets a copy of its contents back.

// stop empties the operation if a pattern has failed, and reports whether it did.
func (s *Patterns) stop(t *capi.Table, rewriter capi.MlirRewriterBase) bool {
	if s.failed == nil || s.walking || s.kept.Ptr != nil {
		return false
	}
	s.ctx.replaceNullUses(s.ctx.tops[s.within]) // operations without an operand cannot be copied
	s.kept = capi.MlirOperationClone(t, s.on)
	emptied := &capi.OperationState{Name: carrier}
	for range capi.MlirOperationGetNumRegions(t, s.on) {
		emptied.Regions = append(emptied.Regions, capi.MlirRegionCreate(t))
	}
	op := capi.CreateOperation(
		t, emptied, capi.MlirLocationUnknownGet(t, s.ctx.raw), capi.MlirBlock{}, capi.MlirOperation{}, false).Operation
	moveBodies(t, s.on, op)
	capi.MlirRewriterBaseEraseOp(t, rewriter, op)
	return true
}

// resume restores the contents of the operation if stop has emptied it.
func (s *Patterns) resume() {
	if s.kept.Ptr == nil {
		return
	}
	t := s.ctx.api
	moveBodies(t, s.kept, s.on)
	capi.MlirOperationDestroy(t, s.kept)
	s.kept = capi.MlirOperation{}
}

func moveBodies(t *capi.Table, from, to capi.MlirOperation) {
	for i := range capi.MlirOperationGetNumRegions(t, from) {
		capi.MlirRegionTakeBody(t, capi.MlirOperationGetRegion(t, to, i), capi.MlirOperationGetRegion(t, from, i))
	}
}
