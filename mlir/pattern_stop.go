package mlir

import "github.com/calliope-mlir/calliope/internal/capi"

// A greedy driver cannot be told to stop: after a pattern has failed it goes on folding
// what is half done, and crashes where that is not valid. So its operation is emptied
// under its eyes, by way of the rewriter that it hears of erased operations from, and
// filled again with a copy when it has come back.

// stop empties the operation where a pattern has failed, and reports whether it did.
func (s *Patterns) stop(t *capi.Table, rewriter capi.MlirRewriterBase) bool {
	if s.failed == nil || s.walking || s.kept.Ptr != nil {
		return false
	}
	s.ctx.mend(s.ctx.tops[s.within]) // what lacks an operand cannot be copied
	s.kept = capi.MlirOperationClone(t, s.on)
	emptied := &capi.OperationState{Name: carrier}
	for range capi.MlirOperationGetNumRegions(t, s.on) {
		emptied.Regions = append(emptied.Regions, capi.MlirRegionCreate(t))
	}
	op := capi.CreateOperation(t, emptied, capi.MlirLocationUnknownGet(t, s.ctx.raw), capi.MlirBlock{}, false).Operation
	moveBodies(t, s.on, op)
	capi.MlirRewriterBaseEraseOp(t, rewriter, op)
	return true
}

// resume gives the operation back what it had when it was emptied.
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
