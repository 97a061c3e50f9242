package operations_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/acc"
	"github.com/calliope-mlir/calliope/mlir/dialect/amdgpu"
	"github.com/calliope-mlir/calliope/mlir/dialect/nvvm"
	"github.com/calliope-mlir/calliope/native"
)

// TestResultsOfParts builds operations of nvvm whose result type depends on their attributes or operands. Libraries up
// to LLVM 22 do not infer it, and those after it infer the same.
func TestResultsOfParts(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		block := inBlock(t, c)
		b := mlir.NewBuilder(block, mlir.Location{})
		in := func(text string) mlir.Value {
			return b.Create(mlir.OperationState{Name: "builtin.unrealized_conversion_cast",
				Results: []mlir.Type{b.Type(text)}}).Result(0)
		}
		check.NoError(t, c.LoadDialect("nvvm"))
		i32, i1, f32, shared := in("i32"), in("i1"), in("f32"), in("!llvm.ptr<3>")
		matrix := func(num int32, m, n int, of nvvm.LdStMatrixEltType) func() mlir.Value {
			layout := nvvm.MMALayoutRow
			if m == 16 {
				layout = nvvm.MMALayoutCol
			}
			return func() mlir.Value {
				shape := b.Attribute(fmt.Sprintf("#nvvm.ld_st_matrix_shape<m = %d, n = %d>", m, n))
				return nvvm.LdMatrix(b, shared, num, layout, shape, of)
			}
		}
		for _, test := range []struct {
			operation string
			make      func() mlir.Value
			want      string
		}{
			{"nvvm.ldmatrix", matrix(1, 8, 8, nvvm.LdStMatrixEltTypeB16), "i32"},
			{"nvvm.ldmatrix", matrix(4, 8, 8, nvvm.LdStMatrixEltTypeB16), "!llvm.struct<(i32, i32, i32, i32)>"},
			{"nvvm.ldmatrix", matrix(1, 16, 16, nvvm.LdStMatrixEltTypeB8), "!llvm.struct<(i32, i32)>"},
			{"nvvm.ldmatrix", matrix(2, 8, 16, nvvm.LdStMatrixEltTypeB8X16B6X16P32), "!llvm.struct<(i32, i32)>"},
			{"nvvm.match.sync", func() mlir.Value {
				return nvvm.MatchSync(b, i32, i32, nvvm.MatchSyncKindAny)
			}, "i32"},
			{"nvvm.match.sync", func() mlir.Value {
				return nvvm.MatchSync(b, i32, i32, nvvm.MatchSyncKindAll)
			}, "!llvm.struct<(i32, i1)>"},
			{"nvvm.redux.sync", func() mlir.Value { return nvvm.Redux(b, i32, nvvm.ReduxKindADD, i32) }, "i32"},
			{"nvvm.redux.sync", func() mlir.Value { return nvvm.Redux(b, f32, nvvm.ReduxKindFMIN, i32) }, "f32"},
			{"nvvm.shfl.sync", func() mlir.Value {
				return nvvm.Shfl(b, i32, f32, i32, i32, nvvm.ShflKindBfly)
			}, "f32"},
			{"nvvm.shfl.sync", func() mlir.Value {
				return nvvm.ShflOp{ThreadMask: i32, Val: i32, Offset: i32, MaskAndClamp: i32, Kind: nvvm.ShflKindIdx,
					ReturnValueAndIsValid: true}.Create(b).Result(0)
			}, "!llvm.struct<(i32, i1)>"},
			{"nvvm.vote.sync", func() mlir.Value { return nvvm.VoteSync(b, i32, i1, nvvm.VoteSyncKindBallot) }, "i32"},
			{"nvvm.vote.sync", func() mlir.Value { return nvvm.VoteSync(b, i32, i1, nvvm.VoteSyncKindAny) }, "i1"},
			{"nvvm.clusterlaunchcontrol.query.cancel", func() mlir.Value {
				return nvvm.ClusterLaunchControlQueryCancel(b, nvvm.ClusterLaunchControlQueryTypeISCANCELED,
					in("i128"))
			}, "i1"},
			{"nvvm.clusterlaunchcontrol.query.cancel", func() mlir.Value {
				return nvvm.ClusterLaunchControlQueryCancel(b, nvvm.ClusterLaunchControlQueryTypeGETFIRSTCTAIDY,
					in("i128"))
			}, "i32"},
		} {
			known := c.Registered(test.operation)
			if e.Name == native.Jaxlib.String() && (!known || test.operation == "nvvm.ldmatrix") {
				continue // its ldmatrix has no shape
			}
			if !known {
				t.Errorf("the library lacks %s", test.operation)
				continue
			}
			v := test.make()
			if check.Report(t, b.Err()); b.Err() != nil {
				return
			}
			check.Diff(t, test.operation, test.want, v.Type().String())
			check.Report(t, v.Owner().Verify())
		}
		nvvm.Redux(b, mlir.Value{}, nvvm.ReduxKindADD, i32)
		check.Error(t, b.Err(), "nvvm.redux.sync: the operand val is missing")
	})
}

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
