package operations_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/acc"
	"github.com/calliope-mlir/calliope/mlir/dialect/amdgpu"
	"github.com/calliope-mlir/calliope/mlir/dialect/nvvm"
)

// TestShortFormsWithoutInference builds operations whose result types not all libraries infer.
func TestShortFormsWithoutInference(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		block := inBlock(t, c)
		b := mlir.NewBuilder(block, mlir.Location{})
		in := func(text string) mlir.Value {
			return b.Create(mlir.OperationState{Name: "builtin.unrealized_conversion_cast",
				Results: []mlir.Type{b.Type(text)}}).Result(0)
		}
		check.NoError(t, c.LoadDialect("nvvm"))
		check.Diff(t, "thread", "i32", nvvm.ThreadIdX(b).Type().String())
		check.Diff(t, "clock", "i64", nvvm.Clock64(b).Type().String())
		if c.LoadDialect("amdgpu") == nil { // jaxlib's library has neither it nor newer operations
			check.Diff(t, "elected", "i1", nvvm.ElectSync(b).Type().String())
			check.Diff(t, "results", 1, nvvm.MBarrierArrive(b, in("!llvm.ptr<3>")).NumResults())
			check.Diff(t, "results elsewhere", 0, nvvm.MBarrierArrive(b, in("!llvm.ptr<7>")).NumResults())
			amdgpu.RawBufferAtomicFadd(b, in("f32"), in("memref<64xf32>"), in("i32"))
		}
		if c.LoadDialect("acc") == nil {
			bounds := acc.DataBoundsOp{Extent: in("index")}.Create(b).Result(0)
			check.Diff(t, "lower bound", "index", acc.GetLowerbound(b, bounds).Type().String())
		}
		check.NoError(t, b.Err())
		for op := range block.Operations() {
			check.NoError(t, op.Verify())
		}
	})
}
